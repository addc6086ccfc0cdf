/* doctor_checks.h: the checks of doctor.c's table. Each adds one finding on its topic. It adds
 * none if the machine lacks the thing. */
#pragma once
#include "why/doctor/doctor.h"

typedef void kg_doctor_check(const struct kg_doctor *doctor, const char *topic,
                             struct kg_findings *findings);

kg_doctor_check kg_check_governor; /* doctor_cpu.c */
kg_doctor_check kg_check_boost;
kg_doctor_check kg_check_smt;
kg_doctor_check kg_check_pinning;
kg_doctor_check kg_check_hypervisor;
kg_doctor_check kg_check_nodes;
kg_doctor_check kg_check_load; /* doctor_system.c */
kg_doctor_check kg_check_huge_pages;
kg_doctor_check kg_check_memory;
kg_doctor_check kg_check_counters;
kg_doctor_check kg_check_valgrind;
kg_doctor_check kg_check_quota; /* doctor_cgroup.c */
