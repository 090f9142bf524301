/* A circular doubly linked list of embedded members, with a separate head. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#define container_of(member_pointer, type, member) \
	((type *)(void *)((char *)(member_pointer)-offsetof(type, member)))

struct list {
	struct list *next, *previous;
};

static inline void list_init(struct list *head)
{
	head->next = head->previous = head;
}

static inline bool list_is_empty(const struct list *head)
{
	return head->next == head;
}

static inline void list_append(struct list *head, struct list *member)
{
	member->previous = head->previous;
	member->next = head;
	head->previous->next = member;
	head->previous = member;
}

static inline void list_remove(struct list *member)
{
	member->previous->next = member->next;
	member->next->previous = member->previous;
	list_init(member);
}

/*
 * for (LIST_EACH(at, head)) iterates over the members. The current one may be removed and freed,
 * but no other.
 */
#define LIST_EACH(at, head)                                    \
	struct list *at = (head)->next, *at##_next = at->next; \
	at != (head);                                          \
	at = at##_next, at##_next = at->next
