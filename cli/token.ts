// SPDX-License-Identifier: Apache-2.0
import { UsageError } from '../server/usage-error.ts'
import { openStorage, type Storage, systemRandomness } from '../storage/storage.ts'
import { createAccessToken, hashOfToken, newTokenText } from '../storage/tables/access/access.ts'
import { ADMIN_ROLE } from '../storage/tables/tables.ts'
import { type Call, type Command, EXIT, type ExitCode, type Streams } from './command.ts'
import { exitCodeOf, failureText } from './failure.ts'
import {
  openSharedStorage,
  STORE_FLAG_NAMES,
  STORE_FLAGS,
  type StoreTarget,
  storeTargetOf,
} from './store-target.ts'

export const TOKEN: Command = {
  name: 'token',
  summary: 'make a token of an administrator, in a database that no server uses',
  usage: ['create <name> [--days <text>] [flags of the store]'],
  details: [
    'Makes a token of the role admin in a store that no server uses, and prints it once: the first one of a',
    'server that others can reach, and the way back when all are lost. Exit code 0: made, 1: not made,',
    '3: a server uses the folder.',
  ],
  flags: {
    days: { kind: 'text', default: '90', meaning: 'how long the token counts, 1 to 366 days' },
    ...STORE_FLAGS,
  },
  fromEnvironment: STORE_FLAG_NAMES,
  wordsMax: 2,
  run,
}

const WHEN_LOCKED = 'A running server makes tokens by the statement CREATE TOKEN.'

/** Writes the token, which is shown this once. */
async function run(call: Call, { output, errors }: Streams): Promise<ExitCode> {
  const wanted = wantedToken(call)
  const target = storeTargetOf(call)
  try {
    const storage = await openTarget(target)
    try {
      output.write(`${await create(storage, wanted)}\n`)
    } finally {
      await storage.close()
    }
    return EXIT.done
  } catch (error) {
    errors.write(`percolite: ${failureText(error, WHEN_LOCKED)}\n`)
    return exitCodeOf(error)
  }
}

type WantedToken = { readonly name: string; readonly days: number }

/** Throws UsageError. */
function wantedToken(call: Call): WantedToken {
  const [action, name] = call.words
  if (action !== 'create' || name === undefined) {
    throw new UsageError('It is percolite token create, and a name.')
  }
  if (!/^[A-Za-z_][A-Za-z0-9_]{0,62}$/.test(name)) {
    throw new UsageError(`"${name.slice(0, 100)}" is no name: letters, digits and _, at most 63.`)
  }
  const days = call.text('days')
  if (!/^\d{1,3}$/.test(days) || Number(days) < 1 || Number(days) > 366) {
    throw new UsageError(`--days ${days}: it is a number from 1 to 366.`)
  }
  return { name, days: Number(days) }
}

async function openTarget(target: StoreTarget): Promise<Storage> {
  if (target.kind === 'directory') {
    return await openStorage({ engine: 'sqlite', dataDirectory: target.path })
  }
  return await openSharedStorage(target.engine)
}

const DAY_MICROS = 24 * 3_600_000_000

/** The text of the token. Throws as `createAccessToken`. */
async function create(storage: Storage, { name, days }: WantedToken): Promise<string> {
  const { id, text } = newTokenText(systemRandomness)
  const transaction = await storage.begin()
  const created = transaction.now
  const expires = created + days * DAY_MICROS
  const hash = hashOfToken(text)
  await createAccessToken(transaction, { id, name, role: ADMIN_ROLE, hash, created, expires })
  await transaction.commit()
  return text
}
