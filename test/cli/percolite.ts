// SPDX-License-Identifier: Apache-2.0
import type { Environment } from '../../cli/command.ts'
import { runCommandLine } from '../../cli/run-command-line.ts'

/** Runs `percolite …` in this process, and resolves to what it has written and its exit code. */
export async function percolite(args: readonly string[], environment: Environment = {}) {
  let [output, errors] = ['', '']
  const code = await runCommandLine(args, environment, {
    output: { write: (text) => (output += text) },
    errors: { write: (text) => (errors += text) },
  })
  return { code, output, errors }
}
