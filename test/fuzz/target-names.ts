// SPDX-License-Identifier: Apache-2.0

/** What is fuzzed. The inputs load the grammar and the server, which the help of the script does without. */
export const TARGET_NAMES = ['sentences', 'repetitions', 'bodies', 'requests', 'records'] as const

export type TargetName = (typeof TARGET_NAMES)[number]
