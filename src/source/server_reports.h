/*
 * What an answer of tt_allocd contains, added to a sample: memory reports of running processes,
 * accounts of finished ones, faults of traced ones, and what only the server may find out: roles,
 * Slurm jobs, claims of Kubernetes, when devices last showed work.
 */
#pragma once

struct image_view;
struct sample;

int server_reports_add(struct sample *sample, const struct image_view *view);
