/* place.h - where cores and memory partitions sit on a mesh (reading mesh-placement).
 *
 * The paper does not say. A placement file has one line per row of the mesh, one word per
 * node: C a core, M a memory partition, - nothing; # starts a comment. Cores and
 * partitions are numbered in reading order. */
#ifndef CT_MODELS_SHARED_L1_PLACE_H
#define CT_MODELS_SHARED_L1_PLACE_H

#include <stdint.h>

#include "base/error.h"
#include "models/common/interconnect.h"

enum { CT_SL_NODES_MAX = CT_MESH_SIDE_MAX * CT_MESH_SIDE_MAX };

struct ct_sl_place {
	unsigned side; /* the mesh is side x side */
	unsigned cores, partitions;
	unsigned short core[CT_SL_NODES_MAX];      /* node of each core */
	unsigned short partition[CT_SL_NODES_MAX]; /* node of each partition */
};

/* The smallest square mesh, the partitions spread evenly over it in reading order
 * (ct_mesh_spread()). Fails with CT_ERR_USAGE when they are more than CT_SL_NODES_MAX or one of
 * them is 0. */
int ct_sl_place_spread(struct ct_sl_place *p, unsigned cores, unsigned partitions, struct ct_error *e);
/* The default, as the engine's own mesh has it (ct_mesh_default()). data/shared_l1/mesh-*.txt
 * show it. */
int ct_sl_place_default(struct ct_sl_place *p, unsigned cores, unsigned partitions, struct ct_error *e);
/* Reads a placement file; it must hold that many cores and partitions (0: any). Fails with
 * CT_ERR_IO, CT_ERR_NOMEM, and CT_ERR_INPUT naming the line. */
int ct_sl_place_load(struct ct_sl_place *p, const char *path, unsigned cores, unsigned partitions,
                     struct ct_error *e);
/* The same from a text in memory; name is for messages. */
int ct_sl_place_parse(struct ct_sl_place *p, const char *name, const char *text, unsigned cores,
                      unsigned partitions, struct ct_error *e);
/* Min(H,L2): [(core * cores + home) * partitions + partition] is 1 where the partition is fewer
 * hops away than the home; ties go home (reading nearest-tie). NULL when out of memory; the caller
 * frees. */
uint8_t *ct_sl_place_nearer(const struct ct_sl_place *p);

#endif
