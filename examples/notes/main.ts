// SPDX-License-Identifier: Apache-2.0
import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:https'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { application } from './application.ts'
import { Issuer } from './issuer.ts'

const HELP = `Usage: npm run example:notes -- [flags]

An application with a page, on this machine only: whoever signs in sees their own notes, as they change. It serves the
page over TLS, signs a token for each user, and writes its public keys into the folder, for the flag --jwt-keys.

Flags:
  --folder <path>        where tls.crt and tls.key are, and keys.json will be (default demo)
  --port <n>             of the page (default 8443)
  --database <url>       the server (default https://localhost:4270)
  --token-seconds <n>    how long a token lives (default 300)
  --help                 this text
`

/** A wrong use of the command line, in one sentence. */
class UsageError extends Error {}

try {
  const flags = readFlags(process.argv.slice(2))
  if (flags === 'help') process.stdout.write(HELP)
  else await serve(flags)
} catch (error) {
  process.stderr.write(`notes: ${(error as Error).message}\n`)
  process.exitCode = error instanceof UsageError ? 2 : 1
}

type Flags = {
  readonly folder: string
  readonly port: number
  readonly database: string
  readonly tokenSeconds: number
}

/** Resolves when it listens; it ends with SIGINT or SIGTERM. */
async function serve({ folder, port, database, tokenSeconds }: Flags): Promise<void> {
  const [cert, key] = [readFrom(folder, 'tls.crt'), readFrom(folder, 'tls.key')]
  const origin = `https://localhost:${port}`
  const issuer = await Issuer.create({ name: origin, lifeSeconds: tokenSeconds })
  const keys = join(folder, 'keys.json')
  // At once, because a server may be reading the ones from before.
  writeFileSync(`${keys}.new`, JSON.stringify(issuer.keySet))
  renameSync(`${keys}.new`, keys)

  const server = createServer({ cert, key }, application({ origin, database, issuer }))
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(port, '127.0.0.1', resolve)
  })
  console.log(`notes at ${origin}, public keys in ${keys}`)
  const stop = () => {
    server.close()
    server.closeAllConnections()
  }
  process.once('SIGINT', stop).once('SIGTERM', stop)
}

function readFrom(folder: string, name: string): Buffer {
  try {
    return readFileSync(join(folder, name))
  } catch {
    throw new Error(
      `there is no ${join(folder, name)}: README.md has the command that makes a certificate`,
    )
  }
}

function readFlags(args: readonly string[]): Flags | 'help' {
  const values = parse(args)
  if (values.help) return 'help'
  if (!URL.canParse(values.database) || new URL(values.database).protocol !== 'https:') {
    throw new UsageError(`--database is the https address of a server, not "${values.database}"`)
  }
  return {
    folder: values.folder,
    port: integer('port', values.port, 1, 65_535),
    database: new URL(values.database).origin,
    tokenSeconds: integer('token-seconds', values['token-seconds'], 1, 86_400),
  }
}

function integer(name: string, text: string, min: number, max: number): number {
  const value = Number(text)
  if (text !== '' && Number.isInteger(value) && value >= min && value <= max) return value
  throw new UsageError(`--${name} is a number from ${min} to ${max}, not ${text}`)
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        folder: { type: 'string', default: 'demo' },
        port: { type: 'string', default: '8443' },
        database: { type: 'string', default: 'https://localhost:4270' },
        'token-seconds': { type: 'string', default: '300' },
        help: { type: 'boolean', short: 'h', default: false },
      },
    }).values
  } catch (error) {
    throw new UsageError((error as Error).message)
  }
}
