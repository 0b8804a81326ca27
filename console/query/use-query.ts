// SPDX-License-Identifier: Apache-2.0
import { useRef, useState } from 'preact/hooks'
import { type Database, PercoliteError, type Schemas } from '../../client-sdk/client.ts'
import type { CodeEditor } from './code-editor.ts'
import { parametersFor, parsedParameters, wireParameters, withNames } from './parameters.ts'
import { addToHistory, clearHistory, readHistory } from './query-history.ts'
import { type Answer, QueryRun, type Sent } from './query-run.ts'
import { endOfToken, offsetOf, placeOf, type StatementRange } from './statement-range.ts'

/** What the view keeps while another one is looked at. */
type Kept = {
  text: string
  parameters: string
  asOf: number | string | undefined
  transaction: string | undefined
  history: readonly string[]
}

const kept: Kept = {
  text: '',
  parameters: '',
  asOf: undefined,
  transaction: undefined,
  history: readHistory(localStorage),
}

type QueryState = {
  readonly answer?: Answer
  readonly error?: unknown
  /** Where the error is in the text of the editor. */
  readonly at?: string | undefined
  readonly isBusy: boolean
  /** A statement that writes and is to be measured, until somebody says yes. */
  readonly requested?: StatementRange
}

/** The statements of the view, and what is done with them. */
export function useQuery(db: Database) {
  const [state, setState] = useState<QueryState>({ isBusy: false })
  const [fields, setFields] = useState<Kept>({ ...kept })
  const editor = useRef<CodeEditor | undefined>(undefined)
  const run = useRef<QueryRun | undefined>(undefined)
  const set = (changed: Partial<Kept>) => setFields({ ...Object.assign(kept, changed) })

  const send = async (range: StatementRange, prefix = '') => {
    if (editor.current === undefined) return
    editor.current.clearUnderline()
    run.current?.stop()
    let made: QueryRun | undefined
    const sql = prefix + range.text
    const from = range.from - prefix.length
    try {
      const names = editor.current.parametersIn(range)
      const parameters = withNames(kept.parameters, names)
      if (parameters !== kept.parameters) set({ parameters })
      const params = parametersFor(parsedParameters(parameters), names)
      const { asOf, transaction } = kept
      const isScan = range.isOne && /^\s*scan\b/i.test(sql)
      const sent: Sent = { sql, from, params, asOf: momentOf(asOf), transaction, isScan }
      made = new QueryRun(db, sent, () => performance.now())
      run.current = made
      setState({ isBusy: true })
      const answer = await made.next()
      if (run.current !== made) return
      setState({ answer, isBusy: false })
      if (answer.transaction !== undefined) set({ transaction: answer.transaction })
    } catch (error) {
      if (run.current !== made) return
      setState({ error, isBusy: false, at: showPlace(editor.current, { sql, from }, error) })
    }
    if (kept.transaction !== undefined) set({ transaction: await stillOpen(db, kept.transaction) })
  }

  return {
    ...state,
    ...fields,
    set,
    editor,
    runAll: () => {
      const text = editor.current?.text ?? ''
      set({ history: addToHistory(localStorage, text) })
      return send(editor.current?.only() ?? { text, from: 0, to: text.length, isOne: false })
    },
    runStatement: async () => {
      const range = editor.current?.atCursor()
      if (range === undefined) return
      set({ history: addToHistory(localStorage, range.text) })
      await send(range)
    },
    explain: async () => {
      const range = editor.current?.atCursor()
      if (range !== undefined) await send(range, prefixFor(range, 'EXPLAIN '))
    },
    /** Asks before it measures what writes: the rows are locked and counted as if they were written. */
    analyze: async () => {
      const range = editor.current?.atCursor()
      if (range === undefined) return
      const requested = await writes(db, range.text)
      if (requested) setState({ isBusy: false, requested: range })
      else await send(range, prefixFor(range, 'EXPLAIN ANALYZE '))
    },
    answerAsked: async (isWanted: boolean) => {
      const { requested } = state
      setState({ isBusy: false })
      if (isWanted && requested !== undefined)
        await send(requested, prefixFor(requested, 'EXPLAIN ANALYZE '))
    },
    more: async () => {
      const made = run.current
      if (made === undefined || state.isBusy) return
      setState({ ...state, isBusy: true })
      try {
        const answer = await made.next()
        if (run.current === made) setState({ answer, isBusy: false })
      } catch (error) {
        if (run.current === made) setState({ ...state, error, isBusy: false })
      }
    },
    forget: () => {
      clearHistory(localStorage)
      set({ history: [] })
    },
    stop: () => run.current?.stop(),
    csv: async () => {
      const { answer } = state
      if (answer === undefined) return
      try {
        await downloadCsv(db, answer)
      } catch (error) {
        setState({ ...state, error })
      }
    },
  }
}

/** What was typed as digits is a stamp. */
function momentOf(asOf: number | string | undefined): number | string | undefined {
  return typeof asOf === 'string' && /^\d+$/.test(asOf) ? Number(asOf) : asOf
}

function prefixFor({ text }: StatementRange, prefix: string): string {
  return /^\s*explain\b/i.test(text) ? '' : prefix
}

/** Underlines the place of an error, where it has one, and returns it in words. */
function showPlace(
  editor: CodeEditor | undefined,
  { sql, from }: { readonly sql: string; readonly from: number },
  error: unknown,
): string | undefined {
  if (editor === undefined || !(error instanceof PercoliteError)) return undefined
  if (error.position === undefined) return undefined
  const start = offsetOf(sql, error.position.line, error.position.column)
  const { token } = error.fields
  const end = endOfToken(sql, start, typeof token === 'string' ? token : undefined)
  editor.underline(from + start, from + end)
  const { line, column } = placeOf(editor.text, from + start)
  return `line ${line}, column ${column}`
}

async function writes(db: Database, sql: string): Promise<boolean> {
  const bare = sql.replace(/^\s*explain\s+(analyze\s+)?/i, '')
  try {
    const described = await db.request<Schemas['DescribedStatement']>('POST', '/v1/describe', {
      sql: bare,
    })
    return described.writes
  } catch {
    // What is wrong with it is said when it is sent.
    return false
  }
}

/** The id of the transaction, unless a statement or the server has ended it. */
async function stillOpen(db: Database, id: string): Promise<string | undefined> {
  try {
    return (await db.transactionOutcome(id)).status === 'active' ? id : undefined
  } catch {
    return undefined
  }
}

/** All rows of the statement as they were when it ran; a statement that writes is refused as of a moment. */
async function downloadCsv(db: Database, { sent, readTimestamp }: Answer): Promise<void> {
  const { sql, params } = sent
  const body = {
    sql,
    asOf: readTimestamp,
    ...(params === undefined ? {} : { params: wireParameters(params) }),
  }
  const answer = await db.open('POST', '/v1/query', body, { headers: { accept: 'text/csv' } })
  const link = document.createElement('a')
  link.href = URL.createObjectURL(await answer.blob())
  link.download = 'rows.csv'
  link.click()
  URL.revokeObjectURL(link.href)
}
