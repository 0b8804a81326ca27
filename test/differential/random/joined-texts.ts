// SPDX-License-Identifier: Apache-2.0

/** The values that a text names by `:name`, as they come over the wire. */
export type NamedParameters = Readonly<Record<string, unknown>>

/** One expression in the dialect and in SQLite's SQL, with the same meaning. */
export type TwoTexts = {
  readonly ours: string
  readonly theirs: string
  /** What the dialect's text names by `:name`. */
  readonly parameters?: NamedParameters
}

export function listed(parts: readonly TwoTexts[]): TwoTexts {
  return {
    ours: parts.map(({ ours }) => ours).join(', '),
    theirs: parts.map(({ theirs }) => theirs).join(', '),
    parameters: parametersOf(parts),
  }
}

export function same(text: string): TwoTexts {
  return { ours: text, theirs: text }
}

export function parametersOf(parts: readonly TwoTexts[]): NamedParameters {
  return Object.assign({}, ...parts.map(({ parameters }) => parameters))
}

/** A template of both texts at once. */
export function joined(strings: TemplateStringsArray, ...parts: readonly TwoTexts[]): TwoTexts {
  const text = (which: keyof TwoTexts) =>
    strings.reduce(
      (before, string, position) => `${before}${parts[position - 1]?.[which] ?? ''}${string}`,
    )
  return { ours: text('ours'), theirs: text('theirs'), parameters: parametersOf(parts) }
}
