// SPDX-License-Identifier: Apache-2.0
import type { ComponentChildren } from 'preact'

/** What scrolls by itself, and is reached by the keyboard for that. */
export function Scroll({
  label,
  children,
}: {
  readonly label: string
  readonly children: ComponentChildren
}) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: as above.
    <section class="scroll" tabIndex={0} aria-label={label}>
      {children}
    </section>
  )
}
