// SPDX-License-Identifier: Apache-2.0
import type { IntegerForm, RowWriter, StatementResult } from '../../../planner/planner.ts'
import type { MaybePromise } from '../../../storage/storage.ts'
import type { SqlValue } from '../../../storage/values/values.ts'
import type { Turns } from '../../guard/budgets/turns.ts'
import type { AnswerBody } from './answer-body.ts'
import type { QueryOutcome } from './query-answer.ts'
import {
  type Columns,
  formOf,
  isLongRow,
  NO_COLUMNS,
  type ResultForm,
  rowPieces,
  rowsPieces,
  rowsText,
  rowText,
} from './result-form.ts'
import { bodyInTurns } from './text-pieces.ts'
import { WrittenRows } from './written-rows.ts'

/** Results and rows of an answer that is written in one turn, as text. */
const SHORT_ANSWER_ROWS = 512
/** Bytes of such an answer. */
const SHORT_ANSWER_BYTES = 256 * 1024

/**
 * Writes `QueryAnswer` of `openapi.yaml` as JSON text. What the columns alone decide is made once: a plan hands out
 * the same columns each time that it runs.
 */
export class AnswerWriter {
  readonly #forms: Readonly<Record<IntegerForm, WeakMap<Columns, ResultForm>>> = {
    number: new WeakMap(),
    string: new WeakMap(),
  }

  /** The whole answer, which ends in a newline. A long one is written over several turns. */
  answer(outcome: QueryOutcome, integers: IntegerForm, turns: Turns): MaybePromise<AnswerBody> {
    return isShort(outcome.results)
      ? `{"results":${this.#resultsNow(outcome.results, integers)}${endOfAnswer(outcome)}`
      : bodyInTurns(this.#answerPieces(outcome, integers), turns)
  }

  /** The array of the results alone. */
  results(
    results: readonly StatementResult[],
    integers: IntegerForm,
    turns: Turns,
  ): MaybePromise<AnswerBody> {
    return isShort(results)
      ? this.#resultsNow(results, integers)
      : bodyInTurns(this.#resultsPieces(results, integers), turns)
  }

  /** Make writers of the rows of results that `answer` or `results` is given later, with the same form of integers. */
  readonly rowWriters: Readonly<Record<IntegerForm, (columns: Columns) => RowWriter>> = {
    number: (columns) => new WrittenRows(columns, this.#formOf(columns, 'number')),
    string: (columns) => new WrittenRows(columns, this.#formOf(columns, 'string')),
  }

  #resultsNow(results: readonly StatementResult[], integers: IntegerForm): string {
    let text = ''
    for (const result of results) {
      const form = this.#formOf(result.columns, integers)
      text += `${text === '' ? '' : ','}{"columns":${form.columns},"rows":[`
      text += (writtenOf(result)?.text ?? rowsText(form, result.rows)) + endOfResult(result)
    }
    return `[${text}]`
  }

  *#answerPieces(
    outcome: QueryOutcome,
    integers: IntegerForm,
  ): Generator<string | Uint8Array, void, undefined> {
    yield '{"results":'
    yield* this.#resultsPieces(outcome.results, integers)
    yield endOfAnswer(outcome)
  }

  /** The array of the results, in pieces; of rows that are written already some are bytes. */
  *#resultsPieces(
    results: readonly StatementResult[],
    integers: IntegerForm,
  ): Generator<string | Uint8Array, void, undefined> {
    yield '['
    for (const [index, result] of results.entries()) {
      const form = this.#formOf(result.columns, integers)
      yield `${index === 0 ? '' : ','}{"columns":${form.columns},"rows":[`
      yield* writtenOf(result)?.pieces() ?? rowsPieces(form, result.rows)
      yield endOfResult(result)
    }
    yield ']'
  }

  /** The array of the rows alone, in pieces. */
  *rows(
    { columns, rows }: StatementResult,
    integers: IntegerForm,
  ): Generator<string, void, undefined> {
    yield '['
    yield* rowsPieces(this.#formOf(columns, integers), rows)
    yield ']'
  }

  /** One row alone. */
  row(columns: Columns, row: readonly SqlValue[], integers: IntegerForm): string {
    return rowText(this.#formOf(columns, integers), row)
  }

  /** The same in pieces. */
  rowPieces(columns: Columns, row: readonly SqlValue[], integers: IntegerForm): Iterable<string> {
    return rowPieces(this.#formOf(columns, integers), row)
  }

  /** A line of NDJSON for each row of a page, in pieces. */
  *lines(
    { columns, rows }: StatementResult,
    integers: IntegerForm,
  ): Generator<string, void, undefined> {
    const form = this.#formOf(columns, integers)
    for (const row of rows) {
      yield '{"row":'
      yield* rowPieces(form, row)
      yield '}\n'
    }
  }

  #formOf(columns: Columns, integers: IntegerForm): ResultForm {
    // What writes has no columns, and each time other ones.
    if (columns.length === 0) return NO_COLUMNS
    const forms = this.#forms[integers]
    let form = forms.get(columns)
    if (form === undefined) {
      form = formOf(columns, integers)
      forms.set(columns, form)
    }
    return form
  }
}

/** Whether it can be written in one turn. */
function isShort(results: readonly StatementResult[]): boolean {
  let rowCount = results.length
  let byteCount = 0
  for (const result of results) {
    const written = writtenOf(result)
    if (written !== undefined && written.text === undefined) return false
    rowCount += result.rows.length
    byteCount += written?.bytes ?? result.bytes ?? 0
    if (rowCount > SHORT_ANSWER_ROWS || byteCount > SHORT_ANSWER_BYTES) return false
    // Not all who make results count their bytes.
    if (result.rows.some(isLongRow)) return false
  }
  return true
}

/** Whoever runs statements for an `AnswerWriter` hands on its writers of rows, and no others. */
function writtenOf({ written }: StatementResult): WrittenRows | undefined {
  return written as WrittenRows | undefined
}

/** What follows its results. */
function endOfAnswer(outcome: QueryOutcome): string {
  const { readTimestamp, commitTimestamp, attempts, cursor, opened } = outcome
  const committed = commitTimestamp === null ? '' : `,"commitTimestamp":${commitTimestamp}`
  const next = cursor === undefined ? '' : `,"cursor":${JSON.stringify(cursor)}`
  const open = opened === undefined ? '' : `,${JSON.stringify(opened).slice(1, -1)}`
  return `,"readTimestamp":${readTimestamp}${committed},"attempts":${attempts}${next}${open}}\n`
}

function endOfResult({ rowsAffected, unmet, explained, hint }: StatementResult): string {
  const why = unmet === undefined ? '' : `,"unmet":"${unmet}"`
  const kind = explained === undefined ? '' : ',"kind":"explain"'
  const better = hint === undefined ? '' : `,"hint":${JSON.stringify(hint)}`
  return `],"rowsAffected":${rowsAffected}${why}${kind}${better}}`
}
