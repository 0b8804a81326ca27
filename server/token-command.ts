// SPDX-License-Identifier: Apache-2.0
import { createParser } from '../parser/parser.ts'
import { executeAccess } from '../planner/planner.ts'
import { openGateway, openStorage, type Storage, systemRandomness } from '../storage/storage.ts'
import { newHashedText } from './access/hashed-text.ts'
import type { CheckConfig } from './check-command.ts'
import { openSharedEngine } from './engines/open-engine.ts'
import { commandFailure } from './errors/command-failure.ts'

/** What `percolite token create` makes: a token of an administrator, in a store that the flags name. */
export type TokenConfig = {
  readonly name: string
  readonly days: number
  readonly target: Exclude<CheckConfig['target'], { readonly kind: 'server' }>
}

const EXIT_DONE = 0
const EXIT_FAILED = 1
const WHEN_LOCKED = 'A running server makes tokens by the statement CREATE TOKEN.'

type Output = { write(text: string): unknown }

/** Writes the token, which is shown this once, and resolves to the exit code. */
export async function runToken(
  config: TokenConfig,
  { output, errors }: { readonly output: Output; readonly errors: Output },
): Promise<number> {
  try {
    const storage = await openTarget(config.target)
    try {
      output.write(`${await create(storage, config)}\n`)
    } finally {
      await storage.close()
    }
    return EXIT_DONE
  } catch (error) {
    errors.write(`percolite: ${commandFailure(error, WHEN_LOCKED)}\n`)
    return EXIT_FAILED
  }
}

async function openTarget(target: TokenConfig['target']): Promise<Storage> {
  if (target.kind === 'directory') {
    return await openStorage({ engine: 'sqlite', dataDirectory: target.path })
  }
  return await openGateway(await openSharedEngine(target.engine), { ownsCellStore: true })
}

async function create(storage: Storage, { name, days }: TokenConfig): Promise<unknown> {
  const text = `CREATE TOKEN ${name} ROLE admin EXPIRES IN ${days} DAYS`
  const [statement] = createParser().parseScript(text)
  if (statement?.kind !== 'createToken') throw new Error(`A token cannot have the name ${name}.`)
  const transaction = await storage.begin()
  const newText = (id?: string) => newHashedText(systemRandomness, id)
  const catalog = await storage.catalog(transaction)
  const { rows } = await executeAccess(statement, { transaction, catalog, newText })
  await transaction.commit()
  return rows[0]?.[0]
}
