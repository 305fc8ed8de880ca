/* policies/mlf_search.h -- the hosts that would take a task, nearest to the ideal first (mlf_place.h has the rule). */
#ifndef POLICIES_MLF_SEARCH_H
#define POLICIES_MLF_SEARCH_H

#include "policies/mlf_place.h"

typedef struct Search {
    Weight weight;
    GpuId own;         /* where the task is, -1: nowhere */
    double move_bytes; /* that leaving there copies */
    bool waive;        /* only servers without other jobs, and no limit but memory */
} Search;

/* The hosts for the task looked at, of settled hosts: at most `most`, nearest first, lowest id on ties; how many. */
int search_hosts(Place *place, const Search *search, PlaceOption option[], int most);

#endif
