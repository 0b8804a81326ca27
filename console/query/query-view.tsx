// SPDX-License-Identifier: Apache-2.0
import { useLayoutEffect, useState } from 'preact/hooks'
import type { Schemas } from '../../client-sdk/client.ts'
import { useConsole } from '../page/console-context.ts'
import { Problem } from '../page/problem.tsx'
import { quoted } from '../page/statements/sql-text.ts'
import type { ViewProps } from '../page/view-props.ts'
import { AnswerView } from './answer-view.tsx'
import { AsOfField } from './as-of-field.tsx'
import type { CompletionResult } from './code-editor.ts'
import { Editor } from './editor.tsx'
import { HistoryView } from './history-view.tsx'
import { SavedView } from './saved/saved-view.tsx'
import { FirstSteps } from './schema/first-steps.tsx'
import sheet from './schema/schema.css' with { type: 'css' }
import { SchemaList } from './schema/schema-list.tsx'
import { useTables } from './schema/use-tables.ts'
import { useQuery } from './use-query.ts'

document.adoptedStyleSheets.push(sheet)

/** Statements, and what they are answered. */
export function QueryView({ address }: ViewProps) {
  const { db } = useConsole()
  const query = useQuery(db)
  const { sql } = address.query
  const [hasEditor, setHasEditor] = useState(false)
  useLayoutEffect(() => {
    if (hasEditor && sql !== undefined) query.editor.current?.setText(sql)
  }, [hasEditor, sql])
  const complete = async (text: string, offset: number, signal: AbortSignal) => {
    const body = { sql: text, offset }
    const answer = await db.request<Schemas['Completions']>('POST', '/v1/completions', body, {
      signal,
    })
    return completionOf(answer)
  }
  const { answer, error } = query
  const answered = answer === undefined ? error : answer.commitTimestamp
  const tables = useTables(db, answered, hasToken(answer))
  return (
    <div class="beside">
      {tables !== undefined && tables.length > 0 && (
        <SchemaList
          tables={tables}
          onName={(name) => query.editor.current?.insertAtCursor(quoted(name))}
        />
      )}
      <div class="query">
        <h2 class="unseen">Statements</h2>
        {tables?.length === 0 && (
          <FirstSteps
            onText={(text, isSelected) => query.editor.current?.setText(text, isSelected)}
            onRun={(text) => {
              query.editor.current?.setText(text)
              void query.runAll()
            }}
          />
        )}
        <Editor
          deps={{
            text: query.text,
            onChange: (text) => query.set({ text }),
            onRun: (what) => void (what === 'all' ? query.runAll() : query.runStatement()),
            complete,
          }}
          onReady={(editor) => {
            query.editor.current = editor
            setHasEditor(editor !== undefined)
          }}
        />
        <Buttons query={query} />
        <Fields query={query} />
        <Answered query={query} />
        <SavedView text={query.text} onChosen={(text) => query.editor.current?.setText(text)} />
        <HistoryView
          texts={query.history}
          onChosen={(text) => query.editor.current?.setText(text)}
          onForget={query.forget}
        />
      </div>
    </div>
  )
}

type Query = ReturnType<typeof useQuery>

function Fields({ query }: { readonly query: Query }) {
  return (
    <div class="query-fields">
      <label class="parameters">
        <span>Parameters, as JSON</span>
        <input
          type="text"
          class="mono"
          placeholder={'{ "id": 7 }'}
          spellcheck={false}
          value={query.parameters}
          onInput={({ currentTarget }) => query.set({ parameters: currentTarget.value })}
        />
      </label>
      <AsOfField asOf={query.asOf} onChange={(asOf) => query.set({ asOf })} />
    </div>
  )
}

/** What the last text was answered, and what is asked before it is sent. */
function Answered({ query }: { readonly query: Query }) {
  const { answer, error, isBusy, transaction } = query
  const insert = (statement: string) => query.editor.current?.insert(statement)
  return (
    <>
      {transaction !== undefined && (
        <p class="open-transaction" role="status">
          A transaction is open, and all statements run in it. COMMIT keeps what it has written,
          ROLLBACK drops it.
        </p>
      )}
      {query.requested !== undefined && <AskedFirst onAnswer={query.answerAsked} />}
      {error !== undefined && <Problem error={error} at={query.at} onInsert={insert} />}
      {answer !== undefined && (
        <AnswerView
          answer={answer}
          isBusy={isBusy}
          onMore={query.more}
          onCsv={isReadAlone(answer) ? query.csv : undefined}
        />
      )}
    </>
  )
}

function Buttons({ query }: { readonly query: Query }) {
  return (
    <div class="row buttons">
      <button type="button" class="first" onClick={query.runStatement} title="Ctrl+Enter">
        Run
      </button>
      <button type="button" onClick={query.runAll} title="Shift+Ctrl+Enter">
        Run all
      </button>
      <button type="button" onClick={query.explain}>
        Explain
      </button>
      <button type="button" onClick={query.analyze}>
        Explain analyze
      </button>
      {query.isBusy && (
        <button type="button" onClick={query.stop}>
          Stop
        </button>
      )}
      <span class="muted keys">
        <kbd>Ctrl</kbd> <kbd>Enter</kbd> runs the statement at the cursor
      </span>
    </div>
  )
}

function AskedFirst({ onAnswer }: { readonly onAnswer: (isWanted: boolean) => void }) {
  return (
    <div class="asked" role="alertdialog" aria-label="Measure a statement that writes?">
      <p>
        This statement writes. EXPLAIN ANALYZE runs it to measure it, and keeps nothing of what it
        wrote.
      </p>
      <p class="row">
        <button type="button" class="first" onClick={() => onAnswer(true)}>
          Measure it
        </button>
        <button type="button" onClick={() => onAnswer(false)}>
          Leave it
        </button>
      </p>
    </div>
  )
}

/** Whether it is one of those that nobody can have again. */
function hasToken(answer: Query['answer']): boolean {
  return (
    answer?.results.some(({ columns }) => columns.some(({ name }) => name === 'token')) ?? false
  )
}

function isReadAlone({
  commitTimestamp,
  sent,
}: {
  commitTimestamp: number | undefined
  sent: { transaction: string | undefined }
}): boolean {
  return commitTimestamp === undefined && sent.transaction === undefined
}

function completionOf({ from, items }: Schemas['Completions']): CompletionResult {
  return {
    from,
    options: items.map(({ text, kind, detail }) => ({
      label: text,
      type: kind,
      detail: detail ?? (kind === 'keyword' ? '' : kind),
    })),
  }
}
