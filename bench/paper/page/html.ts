// SPDX-License-Identifier: Apache-2.0

/** A piece of HTML that is complete and escaped. */
export type Html = { readonly html: string }

/** Text in it is escaped; pieces of HTML and lists of them stand as they are. */
export function html(
  parts: TemplateStringsArray,
  ...values: ReadonlyArray<string | Html | readonly Html[]>
): Html {
  return { html: parts.map((part, at) => part + textOf(values[at] ?? '')).join('') }
}

export function raw(text: string): Html {
  return { html: text }
}

function textOf(value: string | Html | readonly Html[]): string {
  if (typeof value === 'string') return escaped(value)
  return 'html' in value ? value.html : value.map((one) => one.html).join('')
}

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
}

function escaped(text: string): string {
  return text.replaceAll(/[&<>"]/g, (found) => ESCAPES[found] as string)
}
