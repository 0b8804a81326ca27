// SPDX-License-Identifier: Apache-2.0
import type { Statement } from '../../parser/ast.ts'
import type { Parameters } from '../../planner/planner.ts'
import { readScript, type Script } from './script.ts'
import { keysOfAll, unusedParameter } from './unused-parameters.ts'

type OwnScript = Script & { readonly kind: 'transaction' }

/** What a text decides alone that is a transaction of its own. */
export type PreparedScript = {
  /** Without values for its parameters. */
  readonly script: OwnScript
  /** Of all parameters that stand in it. */
  readonly keys: ReadonlySet<string | number>
}

/** The parser answers the same statements for the same text, so what is found out is forgotten together with them. */
const PREPARED = new WeakMap<readonly Statement[], PreparedScript | null>()

const NO_PARAMETERS: Parameters = []

/** Null where the text is something else, or is refused. */
export function preparedScript(statements: readonly Statement[]): PreparedScript | null {
  const known = PREPARED.get(statements)
  if (known !== undefined) return known
  const made = prepare(statements)
  PREPARED.set(statements, made)
  return made
}

function prepare(statements: readonly Statement[]): PreparedScript | null {
  try {
    const script = readScript(
      statements.map((statement) => ({ statement, parameters: NO_PARAMETERS })),
    )
    return script.kind === 'transaction' ? { script, keys: keysOfAll(statements) } : null
  } catch {
    return null // It is read again by who tells what is wrong.
  }
}

/** The script with these values; undefined where one of them is not used, which is a mistake. */
export function scriptWith(
  { script, keys }: PreparedScript,
  parameters: Parameters,
): OwnScript | undefined {
  if (unusedParameter(parameters, keys) !== undefined) return undefined
  if (Array.isArray(parameters) && parameters.length === 0) return script
  const statements = []
  for (const { statement, index } of script.statements) {
    statements.push({ statement, parameters, index })
  }
  const { begin } = script
  return { ...script, statements, ...(begin && { begin: { ...begin, parameters } }) }
}
