// SPDX-License-Identifier: Apache-2.0
import { HighlightStyle } from '@codemirror/language'
import { EditorView } from '@codemirror/view'
import { tags } from '@lezer/highlight'

// By the variables of console.css, which are those of the scheme that the system has.

export const HIGHLIGHT = HighlightStyle.define([
  { tag: tags.keyword, color: 'var(--code-keyword)', fontWeight: '600' },
  { tag: [tags.typeName, tags.standard(tags.name)], color: 'var(--code-type)' },
  { tag: [tags.string, tags.special(tags.string)], color: 'var(--code-string)' },
  { tag: [tags.number, tags.bool, tags.null], color: 'var(--code-number)' },
  { tag: tags.special(tags.name), color: 'var(--code-type)' },
  { tag: [tags.lineComment, tags.blockComment], color: 'var(--muted)', fontStyle: 'italic' },
])

export const THEME = EditorView.theme({
  '&': {
    color: 'var(--ink)',
    backgroundColor: 'var(--paper)',
    fontSize: '13px',
    maxHeight: '40vh',
  },
  '&.cm-focused': { outline: '2px solid var(--accent)', outlineOffset: '-1px' },
  '.cm-scroller': { fontFamily: 'var(--mono)', lineHeight: '1.5' },
  '.cm-content': { caretColor: 'var(--ink)', padding: '8px 0' },
  '.cm-cursor': { borderLeftColor: 'var(--ink)' },
  '.cm-content, .cm-gutter': { minHeight: '7.5rem' },
  '.cm-gutters': {
    color: 'var(--muted)',
    backgroundColor: 'var(--raised)',
    borderRight: '1px solid var(--rule)',
  },
  '.cm-placeholder': { color: 'var(--muted)' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground':
    { backgroundColor: 'var(--selected)' },
  '&.cm-focused .cm-matchingBracket': { backgroundColor: 'var(--selected)' },
  '.cm-mistake': {
    textDecoration: 'underline wavy var(--bad) 1.5px',
    textUnderlineOffset: '3px',
    backgroundColor: 'var(--bad-tint)',
  },
  '.cm-tooltip': {
    color: 'var(--ink)',
    backgroundColor: 'var(--raised)',
    border: '1px solid var(--rule)',
    borderRadius: '4px',
  },
  '.cm-tooltip-autocomplete > ul': { fontFamily: 'var(--mono)', fontSize: '13px' },
  '.cm-tooltip-autocomplete > ul > li[aria-selected]': {
    color: 'var(--on-accent)',
    backgroundColor: 'var(--accent)',
  },
  '.cm-completionMatchedText': { textDecoration: 'none', fontWeight: '700' },
  '.cm-completionDetail': { color: 'inherit', fontStyle: 'normal', opacity: '0.75' },
})
