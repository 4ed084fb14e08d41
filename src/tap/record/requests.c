#include "tap/record/requests.h"

#include "tap/record/gate.h"

uint32_t requests;

void requests_add(uint32_t what)
{
    if (__atomic_fetch_or(&requests, what, __ATOMIC_RELEASE) == 0)
        gate_close();
}

uint32_t requests_take(void)
{
    uint32_t what = __atomic_exchange_n(&requests, 0, __ATOMIC_ACQUIRE);
    if (what)
        gate_open();
    return what;
}
