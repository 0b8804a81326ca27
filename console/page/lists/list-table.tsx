// SPDX-License-Identifier: Apache-2.0
import type { ComponentChildren } from 'preact'
import { Scroll } from './scroll.tsx'

/** The head of a column: of words, of numbers, or of what is done with a row, which needs none to be seen. */
export type Head = string | { readonly number: string } | { readonly unseen: string }

/** A table of rows that the caller makes, which scrolls by itself. */
export function ListTable({
  label,
  heads,
  className,
  isBusy,
  children,
}: {
  readonly label: string
  readonly heads: readonly Head[]
  readonly className?: string
  /** Other rows than these have been asked for. */
  readonly isBusy?: boolean
  readonly children: ComponentChildren
}) {
  return (
    <Scroll label={label}>
      <table class={className} aria-busy={isBusy}>
        <thead>
          <tr>
            {heads.map((head) => (
              <ColumnHead key={JSON.stringify(head)} head={head} />
            ))}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </Scroll>
  )
}

function ColumnHead({ head }: { readonly head: Head }) {
  if (typeof head === 'string') return <th scope="col">{head}</th>
  if ('number' in head) {
    return (
      <th scope="col" class="number">
        {head.number}
      </th>
    )
  }
  return (
    <th scope="col">
      <span class="unseen">{head.unseen}</span>
    </th>
  )
}
