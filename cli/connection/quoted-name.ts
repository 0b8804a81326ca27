// SPDX-License-Identifier: Apache-2.0

/** The name of a table or column as a statement takes it, whatever stands in it. */
export function quotedName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}
