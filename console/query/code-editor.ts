// SPDX-License-Identifier: Apache-2.0
import {
  autocompletion,
  type CompletionContext,
  type CompletionResult,
  completionKeymap,
} from '@codemirror/autocomplete'
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands'
import { SQLDialect } from '@codemirror/lang-sql'
import { bracketMatching, ensureSyntaxTree, syntaxHighlighting } from '@codemirror/language'
import { EditorState, StateEffect, StateField } from '@codemirror/state'
import {
  Decoration,
  type DecorationSet,
  drawSelection,
  EditorView,
  keymap,
  lineNumbers,
  placeholder,
} from '@codemirror/view'
import { HIGHLIGHT, THEME } from './code-theme.ts'
import { KEYWORDS, TYPES } from './dialect-words.ts'
import {
  parameterNames,
  type StatementRange,
  statementAt,
  statementsOf,
} from './statement-range.ts'

export type { CompletionResult }

/** What an editor tells and asks the view that it stands in. */
export type EditorDependencies = {
  readonly text: string
  readonly onChange: (text: string) => void
  readonly onRun: (what: 'statement' | 'all') => void
  /** What may stand at a place of the text; undefined where that is not known. */
  readonly complete: (
    sql: string,
    offset: number,
    signal: AbortSignal,
  ) => Promise<CompletionResult | undefined>
}

const TREE_MS = 200

const DIALECT = SQLDialect.define({
  keywords: KEYWORDS,
  types: TYPES,
  specialVar: ':$',
  doubleQuotedStrings: false,
})

const underline = StateEffect.define<{ from: number; to: number } | undefined>()
const MARK = Decoration.mark({ class: 'cm-mistake', attributes: { title: 'The error is here' } })

/** Where the server found a mistake; it is gone as soon as the text changes. */
const mistake = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(marks, transaction) {
    if (transaction.docChanged) return Decoration.none
    for (const effect of transaction.effects) {
      if (!effect.is(underline)) continue
      const { value } = effect
      return value === undefined
        ? Decoration.none
        : Decoration.set(MARK.range(value.from, value.to))
    }
    return marks
  },
  provide: (field) => EditorView.decorations.from(field),
})

/**
 * What is typed over a selection replaces it in the state. A browser that does it itself gives the new text the colours
 * of the old one by an inline style, which the policy forbids.
 */
const TYPED_OVER = EditorView.domEventHandlers({
  beforeinput(event, view) {
    const { inputType, data } = event
    if (inputType !== 'insertText' || data === null || view.composing) return false
    if (view.state.selection.main.empty) return false
    view.dispatch(view.state.replaceSelection(data), {
      userEvent: 'input.type',
      scrollIntoView: true,
    })
    event.preventDefault()
    return true
  },
})

/**
 * An editor of statements. It stands in a shadow root, where its styles are constructed style sheets, which the policy
 * of the page allows; in the document they would be an element, which it forbids.
 */
export class CodeEditor {
  readonly #view: EditorView

  constructor(host: HTMLElement, deps: EditorDependencies) {
    const root = host.shadowRoot ?? host.attachShadow({ mode: 'open' })
    const run = (what: 'statement' | 'all') => () => {
      deps.onRun(what)
      return true
    }
    const extensions = [
      keymap.of([
        { key: 'Mod-Enter', run: run('statement'), shift: run('all') },
        ...completionKeymap,
        ...defaultKeymap,
        ...historyKeymap,
      ]),
      history(),
      lineNumbers(),
      drawSelection(),
      bracketMatching(),
      placeholder('SCAN * FROM …'),
      DIALECT.extension,
      syntaxHighlighting(HIGHLIGHT),
      THEME,
      mistake,
      TYPED_OVER,
      EditorView.lineWrapping,
      EditorView.contentAttributes.of({
        'aria-label': 'Statements',
        spellcheck: 'false',
        // It is reached without, and those who check a page ask for it where a text scrolls.
        tabindex: '0',
      }),
      autocompletion({ override: [(context) => complete(context, deps.complete)], icons: false }),
      EditorView.updateListener.of((update) => {
        if (update.docChanged) deps.onChange(update.state.doc.toString())
      }),
    ]
    const state = EditorState.create({ doc: deps.text, extensions })
    this.#view = new EditorView({ state, parent: root, root })
  }

  get text(): string {
    return this.#view.state.doc.toString()
  }

  focus(): void {
    this.#view.focus()
  }

  /** The statement that the cursor is in or behind; undefined where there is none. */
  atCursor(): StatementRange | undefined {
    const { state } = this.#view
    return statementAt(this.#tree(), state.doc.toString(), state.selection.main.head)
  }

  /** The statement of the text, where it is the only one. */
  only(): StatementRange | undefined {
    const tree = this.#tree()
    const statements = tree === undefined ? [] : statementsOf(tree, this.text)
    return statements.length === 1 ? statements[0] : undefined
  }

  /** The names of parameters from `from` up to `to`, each once. */
  parametersIn({ from, to }: { readonly from: number; readonly to: number }): string[] {
    return parameterNames(this.#tree(), this.text, from, to)
  }

  /** Underlines a place, and goes there. */
  underline(from: number, to: number): void {
    const { length } = this.#view.state.doc
    // What is missing at the end has no width.
    const start = Math.max(0, Math.min(from, length - 1))
    const end = Math.min(Math.max(to, start + 1), length)
    if (end <= start) return
    this.#view.dispatch({
      effects: [underline.of({ from: start, to: end }), EditorView.scrollIntoView(start)],
    })
  }

  clearUnderline(): void {
    this.#view.dispatch({ effects: underline.of(undefined) })
  }

  /** Instead of what is there; `isSelected` where what is pasted next is to take its place. */
  setText(text: string, isSelected = false): void {
    const { length } = this.#view.state.doc
    this.#view.dispatch({
      changes: { from: 0, to: length, insert: text },
      selection: isSelected ? { anchor: 0, head: text.length } : { anchor: text.length },
    })
    this.focus()
  }

  /** Puts a text in at the cursor, in place of what is selected. */
  insertAtCursor(text: string): void {
    this.#view.dispatch(this.#view.state.replaceSelection(text), { scrollIntoView: true })
    this.focus()
  }

  /** Adds a statement after the one at the cursor, and goes there. */
  insert(statement: string): void {
    const { text } = this
    const at = this.atCursor()?.to ?? text.length
    const end = text.slice(0, at).trimEnd().endsWith(';') || at === 0 ? '' : ';'
    const added = `${end}${at === 0 ? '' : '\n\n'}${statement.replace(/;?\s*$/, '')};`
    this.#view.dispatch({
      changes: { from: at, insert: added },
      selection: { anchor: at + added.length },
      scrollIntoView: true,
    })
    this.focus()
  }

  end(): void {
    this.#view.destroy()
  }

  #tree() {
    const { state } = this.#view
    return ensureSyntaxTree(state, state.doc.length, TREE_MS) ?? undefined
  }
}

/** Asks the server, and drops what was asked for a text that has changed. */
async function complete(
  context: CompletionContext,
  ask: EditorDependencies['complete'],
): Promise<CompletionResult | null> {
  const isWord = context.matchBefore(/[\w"]+$|\.$/) !== null
  if (!isWord && !context.explicit) return null
  const leaving = new AbortController()
  context.addEventListener('abort', () => leaving.abort(), { onDocChange: true })
  try {
    const { state, pos } = context
    return (await ask(state.doc.toString(), pos, leaving.signal)) ?? null
  } catch {
    // It is help, and what is wrong with the text is said when it runs.
    return null
  }
}
