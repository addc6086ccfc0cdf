#include "gpu_fake.h"

int main(void)
{
    return 0;
}
