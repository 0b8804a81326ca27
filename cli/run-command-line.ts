// SPDX-License-Identifier: Apache-2.0
import { packageVersion } from '../server/package-files.ts'
import { UsageError } from '../server/usage-error.ts'
import { type Environment, EXIT, type ExitCode, type Streams } from './command.ts'
import { readOrder } from './command-line.ts'
import { COMMANDS } from './commands.ts'
import { helpOf, helpOfAll } from './help-text.ts'

/**
 * Does what a command line asks for and resolves to the exit code; to undefined for a server, which goes on. A mistake
 * in the call is one line on standard error.
 */
export async function runCommandLine(
  args: readonly string[],
  environment: Environment,
  streams: Streams,
): Promise<ExitCode | undefined> {
  try {
    const order = readOrder(COMMANDS, args, environment)
    switch (order.kind) {
      case 'help':
        streams.output.write(
          order.command === undefined ? helpOfAll(COMMANDS) : helpOf(order.command),
        )
        return EXIT.done
      case 'version':
        streams.output.write(`percolite ${packageVersion()}\n`)
        return EXIT.done
      case 'run':
        return await order.command.run(order.call, streams)
    }
  } catch (error) {
    if (!(error instanceof UsageError)) throw error
    streams.errors.write(`percolite: ${error.message}\n`)
    return EXIT.misused
  }
}
