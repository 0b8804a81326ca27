// SPDX-License-Identifier: Apache-2.0
import { useRef } from 'preact/hooks'
import { hashOf } from './address.ts'
import { PANEL_ID, tabAfter, tabId } from './tab-walk.ts'

export type Tab = { readonly view: string; readonly title: string }

/** The views, walked by the arrows as tabs are. */
export function Tabs({ tabs, chosen }: { readonly tabs: readonly Tab[]; readonly chosen: string }) {
  const list = useRef<HTMLDivElement>(null)
  const walk = (event: KeyboardEvent) => {
    // From where the focus is: a key may come before the view of the one before it is shown.
    const at = [...(list.current?.children ?? [])].indexOf(document.activeElement as Element)
    if (at < 0) return
    const to = tabAfter(event.key, at, tabs.length)
    if (to === undefined) return
    event.preventDefault()
    const link = list.current?.children[to] as HTMLAnchorElement | undefined
    link?.click()
    link?.focus()
  }
  return (
    <div class="tabs" role="tablist" aria-label="Views" ref={list} onKeyDown={walk} tabIndex={-1}>
      {tabs.map(({ view, title }) => (
        <a
          key={view}
          id={tabId(view)}
          role="tab"
          href={hashOf({ view })}
          aria-selected={view === chosen}
          aria-controls={PANEL_ID}
          tabIndex={view === chosen ? 0 : -1}
        >
          {title}
        </a>
      ))}
    </div>
  )
}
