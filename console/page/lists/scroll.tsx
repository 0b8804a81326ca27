// SPDX-License-Identifier: Apache-2.0
import type { ComponentChildren, RefObject } from 'preact'

/** What scrolls by itself, and is reached by the keyboard for that. */
export function Scroll({
  label,
  className,
  place,
  children,
}: {
  readonly label: string
  readonly className?: string
  /** Of the element, for whoever moves it. */
  readonly place?: RefObject<HTMLElement | null>
  readonly children: ComponentChildren
}) {
  return (
    <section
      class={className === undefined ? 'scroll' : `scroll ${className}`}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: as above.
      tabIndex={0}
      aria-label={label}
      ref={place ?? null}
    >
      {children}
    </section>
  )
}
