// SPDX-License-Identifier: Apache-2.0
import { useEffect, useRef } from 'preact/hooks'
import type { CodeEditor, EditorDependencies } from './code-editor.ts'

/** The place of the editor, which comes with its own file when the view is first opened. */
export function Editor({
  deps,
  onReady,
}: {
  readonly deps: EditorDependencies
  readonly onReady: (editor: CodeEditor | undefined) => void
}) {
  const host = useRef<HTMLDivElement>(null)
  const newest = useRef(deps)
  newest.current = deps
  const ready = useRef(onReady)
  ready.current = onReady
  useEffect(() => {
    let made: CodeEditor | undefined
    let isHere = true
    void import('./code-editor.ts').then(({ CodeEditor: Made }) => {
      if (!isHere || host.current === null) return
      const { text } = newest.current
      made = new Made(host.current, {
        text,
        onChange: (changed) => newest.current.onChange(changed),
        onRun: (what) => newest.current.onRun(what),
        complete: (sql, offset, signal) => newest.current.complete(sql, offset, signal),
      })
      ready.current(made)
      // Who walks the tabs by the keyboard keeps the focus.
      if (document.activeElement === document.body) made.focus()
    })
    return () => {
      isHere = false
      made?.end()
      ready.current(undefined)
    }
  }, [])
  return <div class="editor" ref={host} />
}
