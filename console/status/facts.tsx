// SPDX-License-Identifier: Apache-2.0
import type { Fact } from './store-facts.ts'

/** Names with their figures, in columns where there is room. */
export function Facts({ facts }: { readonly facts: readonly Fact[] }) {
  return (
    <dl class="facts">
      {facts.map(({ name, text, title, isBad, href }) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd class={isBad === true ? 'bad' : undefined} title={title}>
            {href === undefined ? text : <a href={href}>{text}</a>}
          </dd>
        </div>
      ))}
    </dl>
  )
}
