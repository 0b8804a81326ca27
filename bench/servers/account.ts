// SPDX-License-Identifier: Apache-2.0
import { readFileSync } from 'node:fs'

/** Whom a process runs as. */
export type Account = { readonly uid: number; readonly gid: number }

/**
 * PostgreSQL refuses to run as root: then it runs as `postgres`, or `nobody` where there is none.
 * Undefined when we are not root, so that it runs as we do.
 */
export function unprivilegedAccount(): Account | undefined {
  if (process.getuid?.() !== 0) return undefined
  const lines = readFileSync('/etc/passwd', 'utf8').split('\n')
  for (const name of ['postgres', 'nobody']) {
    const fields = lines.find((line) => line.startsWith(`${name}:`))?.split(':')
    if (fields !== undefined) return { uid: Number(fields[2]), gid: Number(fields[3]) }
  }
  throw new Error('PostgreSQL does not run as root, and there is no account postgres or nobody')
}
