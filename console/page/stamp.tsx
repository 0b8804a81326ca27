// SPDX-License-Identifier: Apache-2.0
import { isoOf, localText, stampText } from './stamp-text.ts'

/** A stamp as a time in UTC; the local one and the number are its title. */
export function Stamp({ micros }: { readonly micros: number | bigint }) {
  return (
    <time dateTime={isoOf(micros)} title={localText(micros)}>
      {stampText(micros)}
    </time>
  )
}
