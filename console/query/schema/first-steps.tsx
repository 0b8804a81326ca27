// SPDX-License-Identifier: Apache-2.0
import { useConsole, useRight } from '../../page/console-context.ts'
import { DEMO_SCRIPT, SAMPLE_SCHEMA } from './demo-script.ts'

/** What one may begin with in a database without tables. */
export function FirstSteps({
  onText,
  onRun,
}: {
  /** Puts a text into the editor; all of it is selected where something else is to take its place. */
  readonly onText: (text: string, isSelected: boolean) => void
  readonly onRun: (text: string) => void
}) {
  const mayDefine = useRight('define')
  const { role } = useConsole().principal
  if (!mayDefine) {
    return (
      <p class="notice">
        There is no table that {role === undefined ? 'may be seen here' : `the role ${role} sees`}:
        an administrator can grant a right on one, or the right DEFINE to make some.
      </p>
    )
  }
  return (
    <section class="first-steps" aria-label="First steps">
      <h3>This database has no tables yet</h3>
      <ul>
        <li>
          <button type="button" onClick={() => onText(SAMPLE_SCHEMA, true)}>
            Paste a schema
          </button>
          <span>over the example in the editor, or take it from a file:</span>
          <SchemaFile onText={(text) => onText(text, false)} />
        </li>
        <li>
          <button type="button" onClick={() => onRun(DEMO_SCRIPT)}>
            Load the demo data
          </button>
          <span>A small brokerage in four tables. Its statements are then in the editor.</span>
        </li>
        <li>
          <a href="#/tables?import=csv">Import a CSV</a>
          <span>as a new table, whose columns are guessed from it.</span>
        </li>
        <li>
          <a href="/llms.txt">Read the tour</a>
          <span>
            of the language, on one page, or <a href="/docs">try every operation</a> of the server.
          </span>
        </li>
      </ul>
    </section>
  )
}

function SchemaFile({ onText }: { readonly onText: (text: string) => void }) {
  return (
    <input
      type="file"
      accept=".sql,.txt,text/plain"
      aria-label="A file with a schema"
      onChange={async ({ currentTarget }) => {
        const file = currentTarget.files?.[0]
        if (file !== undefined) onText(await file.text())
      }}
    />
  )
}
