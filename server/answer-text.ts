// SPDX-License-Identifier: Apache-2.0
import { type IntegerForm, type StatementResult, valueToJson } from '../planner/planner.ts'
import type { SqlType, SqlValue } from '../storage/storage.ts'
import type { QueryOutcome } from './query-answer.ts'
import type { Turns } from './turns.ts'

type Columns = StatementResult['columns']

/** What the columns of a result make of it: their own text, and a writer for each of its rows. */
type ResultForm = {
  readonly columns: string
  readonly fields: ReadonlyArray<{ readonly prefix: string; readonly write: ValueWriter }>
}

type ValueWriter = (value: SqlValue) => string

/** Rows between two looks at the clock: to write one takes a microsecond or two. */
const ROWS_AT_ONCE = 100

/**
 * Writes `QueryAnswer` of `openapi.yaml` as JSON text, value by value. An object for each row, only to
 * be walked by `JSON.stringify`, would cost several times as much. What the columns alone decide is
 * made once: a plan hands out the same columns each time that it runs.
 */
export class AnswerWriter {
  readonly #forms: Readonly<Record<IntegerForm, WeakMap<Columns, ResultForm>>> = {
    number: new WeakMap(),
    string: new WeakMap(),
  }

  /** The whole answer, which ends in a newline. A long one is written over several turns. */
  async answer(outcome: QueryOutcome, integers: IntegerForm, turns: Turns): Promise<string> {
    return answerText(await this.results(outcome.results, integers, turns), outcome)
  }

  /** The same in this turn. */
  answerNow(outcome: QueryOutcome, integers: IntegerForm): string {
    return answerText(this.#resultsNow(outcome.results, integers), outcome)
  }

  /** The same, when it is few results of few rows. */
  shortAnswer(outcome: QueryOutcome, integers: IntegerForm): string | undefined {
    return isShort(outcome.results) ? this.answerNow(outcome, integers) : undefined
  }

  /** The array of the results alone. */
  async results(
    results: readonly StatementResult[],
    integers: IntegerForm,
    turns: Turns,
  ): Promise<string> {
    return isShort(results)
      ? this.#resultsNow(results, integers)
      : await this.#resultsInTurns(results, integers, turns)
  }

  #resultsNow(results: readonly StatementResult[], integers: IntegerForm): string {
    let text = ''
    for (const result of results) {
      const form = this.#formOf(result.columns, integers)
      text += `${text === '' ? '' : ','}{"columns":${form.columns},"rows":[`
      let separator = ''
      for (const row of result.rows) {
        text += separator + rowText(form, row)
        separator = ','
      }
      text += endOfResult(result)
    }
    return `[${text}]`
  }

  async #resultsInTurns(
    results: readonly StatementResult[],
    integers: IntegerForm,
    turns: Turns,
  ): Promise<string> {
    let text = '['
    let rowsWritten = 0
    for (const [index, result] of results.entries()) {
      const { columns, rows } = result
      const form = this.#formOf(columns, integers)
      text += `${index === 0 ? '' : ','}{"columns":${form.columns},"rows":[`
      let separator = ''
      for (const row of rows) {
        text += separator + rowText(form, row)
        separator = ','
        rowsWritten += 1
        if (rowsWritten % ROWS_AT_ONCE === 0 && turns.isDue) await turns.pause()
      }
      text += endOfResult(result)
    }
    return `${text}]`
  }

  /** The array of the rows alone. */
  async rows(
    { columns, rows }: StatementResult,
    integers: IntegerForm,
    turns: Turns,
  ): Promise<string> {
    const form = this.#formOf(columns, integers)
    const texts: string[] = []
    for (const row of rows) {
      texts.push(rowText(form, row))
      if (texts.length % ROWS_AT_ONCE === 0 && turns.isDue) await turns.pause()
    }
    return `[${texts.join(',')}]`
  }

  /** One row alone. */
  row(columns: Columns, row: readonly SqlValue[], integers: IntegerForm): string {
    return rowText(this.#formOf(columns, integers), row)
  }

  /** A line of NDJSON for each row of a page, which is short enough to be written at once. */
  lines({ columns, rows }: StatementResult, integers: IntegerForm): string {
    const form = this.#formOf(columns, integers)
    let text = ''
    for (const row of rows) text += `{"row":${rowText(form, row)}}\n`
    return text
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

function isShort(results: readonly StatementResult[]): boolean {
  let rowCount = results.length
  for (const { rows } of results) rowCount += rows.length
  return rowCount <= ROWS_AT_ONCE
}

function answerText(results: string, outcome: QueryOutcome): string {
  const { readTimestamp, commitTimestamp, attempts, cursor, opened } = outcome
  const committed = commitTimestamp === null ? '' : `,"commitTimestamp":${commitTimestamp}`
  const next = cursor === undefined ? '' : `,"cursor":${JSON.stringify(cursor)}`
  const open = opened === undefined ? '' : `,${JSON.stringify(opened).slice(1, -1)}`
  return `{"results":${results},"readTimestamp":${readTimestamp}${committed},"attempts":${attempts}${next}${open}}\n`
}

const NO_COLUMNS: ResultForm = { columns: '[]', fields: [] }

function formOf(columns: Columns, integers: IntegerForm): ResultForm {
  return {
    columns: JSON.stringify(columns.map(({ name, type }) => ({ name, type }))),
    fields: columns.map(({ name, type }, index) => ({
      prefix: `${index === 0 ? '' : ','}${JSON.stringify(name)}:`,
      write: valueWriter(type, integers),
    })),
  }
}

function endOfResult({ rowsAffected, unmet }: StatementResult): string {
  return `],"rowsAffected":${rowsAffected}${unmet === undefined ? '' : `,"unmet":"${unmet}"`}}`
}

function rowText({ fields }: ResultForm, row: readonly SqlValue[]): string {
  let text = '{'
  for (let index = 0; index < fields.length; index += 1) {
    const { prefix, write } = fields[index] as ResultForm['fields'][number]
    const value = row[index] ?? null
    text += prefix + (value === null ? 'null' : write(value))
  }
  return `${text}}`
}

/** Anything but a printable character of ASCII that stands for itself in JSON. */
const NOT_PLAIN = /[^ !#-[\]-~]/

function textToJson(text: string): string {
  return NOT_PLAIN.test(text) ? JSON.stringify(text) : `"${text}"`
}

function valueWriter(type: SqlType, integers: IntegerForm): ValueWriter {
  switch (type) {
    case 'BOOLEAN':
      return (value) => (value === true ? 'true' : 'false')
    case 'JSON':
      // It is kept as text that has been checked and brought into one form.
      return (value) => value as string
    case 'TEXT':
      return (value) => textToJson(value as string)
    case 'INTEGER':
      return (value) => {
        const json = valueToJson(type, value, { integers })
        return typeof json === 'number' ? `${json}` : `"${json}"`
      }
    default: {
      const options = { integers }
      return (value) => JSON.stringify(valueToJson(type, value, options))
    }
  }
}
