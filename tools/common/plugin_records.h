/* plugin_records.h - the records of a plugin on their way from its process to the profile of the command. */
#ifndef CT_TOOLS_PLUGIN_RECORDS_H
#define CT_TOOLS_PLUGIN_RECORDS_H

#include <stdint.h>

#include "base/buf.h"
#include "common/tool.h"
#include "profile/profile.h"

/* In the process of a plugin: appends those records of p that are the mechanisms' of the mask (a bit each) - estimates,
 * points of sweeps, verdicts, and items of their own - and those of several together, unless that name is NULL. Fails with
 * CT_ERR_NOMEM. */
int ct_plugin_records(const struct ct_profile *p, uint32_t mask, const char *together, struct ct_buf *b,
                      struct ct_error *e);

/* In the command: puts them into p in the place of what it has of them. Records of anybody else, or what is no profile, make
 * the plugin broken: *broken becomes 1, and this fails with CT_ERR_INPUT and leaves p as it was. Fails with CT_ERR_NOMEM. */
int ct_plugin_take_records(struct ct_profile *p, uint32_t mask, const char *together,
                           const struct ct_buf *b, int *broken, struct ct_error *e);

#endif
