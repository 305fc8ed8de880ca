/* sim/cli/plugin.c -- dlopen, with a sentence for everything that can be wrong. */
#include "sim/cli/plugin.h"

#include <dlfcn.h>
#include <string.h>

#include "policies/policies.h"

/* Its name becomes a folder and a group of keys. */
static bool is_usable_name(const char *name)
{
    return *name && name[strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-")] == '\0';
}

static bool is_complete(const Policy *policy, const char *path, Err *err)
{
    if (!policy->name || !is_usable_name(policy->name))
        return err_set(err, ERR_USAGE, "%s: its policy needs a name of letters, digits, - and _", path);
    if (!policy->schedule) return err_set(err, ERR_USAGE, "%s: policy '%s' has no schedule hook", path, policy->name);
    if (policy_find(policy->name))
        return err_set(err, ERR_USAGE, "%s: the name '%s' belongs to a built-in policy", path, policy->name);
    return true;
}

const Policy *plugin_load(const char *path, Err *err)
{
    void *object = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!object) {
        const char *why = dlerror();
        size_t n = strlen(path); /* dlerror often begins with the path itself */
        if (strncmp(why, path, n) == 0 && strncmp(why + n, ": ", 2) == 0) why += n + 2;
        err_set(err, ERR_USAGE, "%s: cannot be loaded: %s", path, why);
        return NULL;
    }
    const int *abi = dlsym(object, "mlfs_policy_abi");
    const Policy *policy = dlsym(object, "mlfs_policy");
    if (!policy || !abi)
        err_set(err, ERR_USAGE, "%s: does not export %s, so it is no policy of mlfs-sim", path,
                policy ? "mlfs_policy_abi" : "mlfs_policy");
    else if (*abi != POLICY_ABI)
        err_set(err, ERR_USAGE, "%s: built for policy interface %d, this program has %d; build it again", path, *abi,
                POLICY_ABI);
    else if (is_complete(policy, path, err))
        return policy;
    dlclose(object);
    return NULL;
}
