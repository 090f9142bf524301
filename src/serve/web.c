#include "serve/web.h"

#include "doctor/doctor.h"
#include "doctor/finding_json.h"
#include "render/web_json.h"
#include "version.h"

void web_done(struct web *web)
{
	device_view_done(&web->devices);
}

void web_update(struct web *web, const struct served_sample *record)
{
	if (!record || !record->snapshot || record->number == web->sample)
		return;
	/* Without memory there are no groups, and no devices are shown. */
	(void)!device_view_update(&web->devices, record->snapshot);
	web->sample = record->number;
}

/*
 * Problems of the devices, in the words of tt_smi doctor; only those that the sample shows, since
 * the thread that answers reads no files.
 */
static void put_findings(struct json *json, const struct snapshot *snapshot, const void *arg)
{
	const struct serve_options *options = arg;
	struct report report = { .areas = AREAS_HEALTH };
	const struct doctor_context context = {
		.snapshot = snapshot,
		.driver_loaded = snapshot->driver_loaded,
		.expected = options->expected,
		.alarms = alarms_default(),
	};

	examine_unserved(&context, &report);
	examine_devices(&context, &report);
	for (size_t i = 0; i < report.count; i++)
		if (report.findings[i].level > LEVEL_OK)
			finding_put_json(json, &report.findings[i]);
	json->out->failed |= report.failed;
	report_done(&report);
}

static struct web_view make_view(const struct web *web, const struct served_sample *record,
				 bool hide_owners)
{
	return (struct web_view){
		.version = TT_SMI_VERSION,
		.sample = record->number,
		.snapshot = record->snapshot,
		.devices = &web->devices,
		.history = web->charts->history,
		.hide_owners = hide_owners,
		.put_findings = put_findings,
		.arg = web->options,
	};
}

void web_put_record(struct buf *out, const struct web *web, const struct served_sample *record,
		    bool hide_owners)
{
	const struct web_view view = make_view(web, record, hide_owners);

	web_put_machine(out, &view);
}

bool web_put_record_device(struct buf *out, const struct web *web,
			   const struct served_sample *record, bool hide_owners, const char *id)
{
	const struct web_view view = make_view(web, record, hide_owners);

	return view.history && web_put_device(out, &view, id);
}

bool web_put_record_process(struct buf *out, const struct web *web,
			    const struct served_sample *record, bool hide_owners, int32_t pid)
{
	const struct web_view view = make_view(web, record, hide_owners);

	return web_put_process(out, &view, pid);
}
