// SPDX-License-Identifier: Apache-2.0
import { durationMs } from '../../server/config-values.ts'
import { readPackageFile } from '../../server/package-files.ts'
import { UsageError } from '../../server/usage-error.ts'
import { type Call, type Command, EXIT, type ExitCode } from '../command.ts'
import {
  connectionOf,
  SERVER_FLAGS,
  SERVER_FLAGS_FROM_ENVIRONMENT,
} from '../connection/server-connection.ts'

export const MCP: Command = {
  name: 'mcp',
  summary:
    'let an agent use a server, by the Model Context Protocol over standard input and output',
  usage: ['[URL] [--token-file FILE] [--confirm-within 5m]'],
  details: [
    'A program with an agent starts it and speaks the Model Context Protocol with it, over standard input and output.',
    'Its tools are describe, explain, query, write, changes and difference. What they may do is what the role of the',
    'token may. query reads only; write shows what it would do, and does it in a second call. It needs the package',
    '@modelcontextprotocol/server, and says how to install it. Exit code 0: the input has ended.',
  ],
  flags: {
    ...SERVER_FLAGS,
    'confirm-within': {
      kind: 'duration',
      default: '5m',
      meaning: 'how long a write that was shown may be confirmed',
    },
  },
  fromEnvironment: SERVER_FLAGS_FROM_ENVIRONMENT,
  wordsMax: 1,
  run,
}

async function run(call: Call): Promise<ExitCode> {
  const { db } = connectionOf(call, { wordsMax: 0 })
  const { serveTools } = await packageLoaded()
  await serveTools(db, durationMs(call.text('confirm-within')))
  db.close()
  return EXIT.done
}

/** Rejects with UsageError where the package is not installed. */
async function packageLoaded() {
  try {
    return await import('./mcp-server.ts')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw error
    const name = '@modelcontextprotocol/server'
    const { peerDependencies } = JSON.parse(readPackageFile('package.json'))
    throw new UsageError(
      `percolite mcp needs a package that is not installed: npm install --no-save ${name}@${peerDependencies[name]}`,
      { cause: error },
    )
  }
}
