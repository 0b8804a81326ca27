// SPDX-License-Identifier: Apache-2.0
import { UnexpectedAnswer } from '../../../load/http-client.ts'
import type { InputOf, PerformedName, ResultOf } from '../../transactions/all-transactions.ts'
import type {
  PercoliteAnswer,
  PercoliteAsking,
  PercoliteParameters,
} from '../percolite/percolite-requests.ts'

// A transaction as somebody writes it who knows the dialect: what belongs together is looked up by one
// statement, and a statement takes what it needs from those before it, INTO names.

export type NativeWork<Name extends PerformedName> = (
  requests: PercoliteAsking,
  input: InputOf<Name>,
) => Promise<ResultOf<Name>>

/**
 * Statements that go in one request, in their order, by the names that their rows are answered by; those of
 * which nobody needs the rows have names as well.
 */
export type Script<Rows extends ScriptRows> = Readonly<Record<string, string>> & {
  readonly [Name in keyof Rows]: string
}

type ScriptRows = Readonly<Record<string, readonly object[] | undefined>>

/** Scripts that only read, all of the snapshot of the first one. */
export class NativeReads {
  readonly #requests: PercoliteAsking
  #asOf: number | undefined

  constructor(requests: PercoliteAsking) {
    this.#requests = requests
  }

  async run<Rows extends ScriptRows>(
    script: Script<Rows>,
    params: PercoliteParameters,
  ): Promise<Rows> {
    const request = { sql: textOf(script), params }
    const answer = await this.#requests.ask(
      this.#asOf === undefined ? request : { ...request, asOf: this.#asOf },
    )
    this.#asOf ??= answer.readTimestamp
    return rowsOf(script, answer.results)
  }
}

/** A transaction that is one request. */
export async function runAtOnce<Rows extends ScriptRows>(
  requests: PercoliteAsking,
  script: Script<Rows>,
  params: PercoliteParameters,
): Promise<Rows> {
  const request = { sql: textOf(script), params }
  const { results } = await requests.ask(request, { commits: true })
  return rowsOf(script, results)
}

/** The first part of a transaction that stays open, and its id. */
export async function beginWith<Rows extends ScriptRows>(
  requests: PercoliteAsking,
  script: Script<Rows>,
  params: PercoliteParameters,
): Promise<{ readonly rows: Rows; readonly transaction: string }> {
  const request = { sql: `BEGIN;\n${textOf(script)}`, params, keepOpen: true } as const
  const { results, transaction } = await requests.ask(request)
  if (transaction === undefined) throw new Error('the transaction did not stay open')
  return { rows: rowsOf(script, results.slice(1)), transaction }
}

/** The rest of it, with its COMMIT. */
export async function commitWith<Rows extends ScriptRows>(
  requests: PercoliteAsking,
  transaction: string,
  script: Script<Rows>,
  params: PercoliteParameters,
): Promise<Rows> {
  const request = { sql: `${textOf(script)};\nCOMMIT`, params, transaction }
  const { results } = await requests.ask(request, { commits: true })
  return rowsOf(script, results)
}

/** The code by which the server refused a request; undefined for what is no refusal. */
export function refusalOf(
  error: unknown,
): { readonly code: string; readonly statement: number } | undefined {
  return error instanceof UnexpectedAnswer ? JSON.parse(error.text) : undefined
}

function textOf(script: Readonly<Record<string, string>>): string {
  return Object.values(script).join(';\n')
}

function rowsOf<Rows extends ScriptRows>(
  script: Script<Rows>,
  results: PercoliteAnswer['results'],
): Rows {
  const named = Object.keys(script).map((name, place) => [name, results[place]?.rows] as const)
  return Object.fromEntries(named) as Rows
}
