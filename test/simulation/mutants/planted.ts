// SPDX-License-Identifier: Apache-2.0

/** The variable that names the mutant for a thread and all that it starts. */
export const PLANTED = 'PERCOLITE_TEST_PLANTED'
