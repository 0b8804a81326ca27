// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { createElement, type FC, StrictMode } from 'react'
import { createRoot } from 'react-dom/client'

/** As much of a page as React touches for a component that renders no elements. */
const page = { HTMLIFrameElement: class {} }

function emptyContainer(): Element {
  const document = { nodeType: 9, defaultView: page, addEventListener: () => undefined }
  const container = {
    nodeType: 1,
    nodeName: 'DIV',
    tagName: 'DIV',
    namespaceURI: 'http://www.w3.org/1999/xhtml',
    ownerDocument: document,
    addEventListener: () => undefined,
  }
  return container as unknown as Element
}

const UNTIL_MS = 10_000

/**
 * Mounts a component with React itself, in StrictMode, that does nothing but call `hook`. `shown` is everything that
 * the hook has returned, `render` renders it again with another input.
 */
export function mount<Input, Shown>(t: TestContext, hook: (input: Input) => Shown, input: Input) {
  Object.assign(globalThis, { window: page })
  const shown: Shown[] = []
  const errors: unknown[] = []
  let changed = Promise.withResolvers<void>()
  const Component: FC<{ readonly input: Input }> = (props) => {
    shown.push(hook(props.input))
    changed.resolve()
    changed = Promise.withResolvers()
    return null
  }
  const root = createRoot(emptyContainer(), { onUncaughtError: (error) => errors.push(error) })
  const render = (next: Input) =>
    root.render(createElement(StrictMode, null, createElement(Component, { input: next })))
  render(input)
  t.after(() => root.unmount())
  return {
    shown,
    errors,
    render,
    unmount: () => root.unmount(),
    /** Resolves to the first that fulfils the condition of what is shown from now on, or now. */
    async until(condition: (one: Shown) => boolean): Promise<Shown> {
      const late = AbortSignal.timeout(UNTIL_MS)
      while (true) {
        const last = shown.at(-1)
        if (last !== undefined && condition(last)) return last
        assert.ok(!late.aborted, `it shows ${JSON.stringify(last)}`)
        const waiting = Promise.withResolvers<void>()
        late.addEventListener('abort', () => waiting.resolve())
        await Promise.race([changed.promise, waiting.promise])
      }
    },
  }
}
