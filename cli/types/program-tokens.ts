// SPDX-License-Identifier: Apache-2.0

/** As much of a program as it takes to find the texts that calls are given. */
export type Token = {
  readonly kind: 'word' | 'mark' | 'text' | 'template'
  /** Of a text, what it stands for. */
  readonly text: string
  readonly offset: number
  /** What stands between the `${…}` of a template; of a text in backticks the text. */
  readonly parts?: readonly string[]
}

const BLANK = /\s+|\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$)/y
const WORD = /[\p{ID_Start}$_#][\p{ID_Continue}$\u200c\u200d]*|[0-9][\w.]*/uy
const STRING = /'(?:[^'\\\n]|\\[\s\S])*'|"(?:[^"\\\n]|\\[\s\S])*"/y
const REGEX = /\/(?:[^/\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/[a-z]*/y
const MARK = /\?\.(?!\d)|=>|[\s\S]/y
/** Words after which an expression begins. */
const BEFORE_VALUE = /^(?:return|typeof|case|in|of|do|else|void|delete|throw|new|await|yield)$/

/** Where an element begins, and no parameter of a type (`<T,>`). */
const ELEMENT = /<(?:>|[\p{ID_Start}$_][\w.:-]*(?![\w.:-]|\s*,|\s+extends\b))/uy
const JSX_TEXT = /[^<{]+/y
const JSX_STRING = /"[^"]*"?|'[^']*'?/y
const CLOSING_TAG = /<\/[^>]*>?/y

/** The tokens of a program, in their order; also of one that is wrong. `mayHaveJsx`: elements may stand in it. */
export function programTokens(source: string, mayHaveJsx: boolean): readonly Token[] {
  return new Scanner(source, mayHaveJsx).all()
}

class Scanner {
  readonly #source: string
  readonly #mayHaveJsx: boolean
  readonly #tokens: Token[] = []
  #at = 0

  constructor(source: string, mayHaveJsx: boolean) {
    this.#source = source
    this.#mayHaveJsx = mayHaveJsx
  }

  all(): readonly Token[] {
    while (this.#at < this.#source.length) this.#one()
    return this.#tokens
  }

  #one(): void {
    const offset = this.#at
    if (this.#take(BLANK) !== undefined) return
    if (this.#source[offset] === '`') this.#template(offset)
    else if (this.#isElement()) this.#elementAt(offset)
    else this.#tokens.push({ ...this.#plain(), offset })
  }

  /** Anything but a template. */
  #plain(): Omit<Token, 'offset'> {
    const word = this.#take(WORD)
    if (word !== undefined) return { kind: 'word', text: word }
    const quoted = this.#take(STRING)
    if (quoted !== undefined) return { kind: 'text', text: cooked(quoted.slice(1, -1)) }
    const isRegex = this.#mayBeValue() && this.#take(REGEX) !== undefined
    return { kind: 'mark', text: isRegex ? '/' : (this.#take(MARK) ?? '') }
  }

  /** A template, and the tokens of its expressions after it. */
  #template(offset: number): void {
    const parts: string[] = []
    const index = this.#tokens.length
    this.#at += 1
    let begin = this.#at
    while (this.#at < this.#source.length) {
      const char = this.#source[this.#at]
      if (char === '\\') this.#at += 2
      else if (char === '`') break
      else if (this.#source.startsWith('${', this.#at)) {
        parts.push(cooked(this.#source.slice(begin, this.#at)))
        this.#expression('${')
        begin = this.#at
      } else this.#at += 1
    }
    parts.push(cooked(this.#source.slice(begin, this.#at)))
    this.#at += 1
    const kind = parts.length === 1 ? 'text' : 'template'
    this.#tokens.splice(index, 0, { kind, text: parts.join(''), offset, parts })
  }

  #isElement(): boolean {
    ELEMENT.lastIndex = this.#at
    return this.#mayHaveJsx && ELEMENT.test(this.#source) && this.#mayBeValue()
  }

  /** A value of its own, and the tokens of its expressions before it. */
  #elementAt(offset: number): void {
    this.#element()
    this.#tokens.push({ kind: 'template', text: '', offset })
  }

  /** From `<a` to behind its `</a>`: its texts and strings are no tokens, what stands in braces is. */
  #element(): void {
    if (!this.#tag()) return
    while (this.#at < this.#source.length) {
      if (this.#take(JSX_TEXT) !== undefined) continue
      if (this.#source[this.#at] === '{') this.#expression('{')
      else if (this.#take(CLOSING_TAG) !== undefined) return
      else this.#element()
    }
  }

  /** From `<` to behind its `>`. Returns whether the element goes on then. */
  #tag(): boolean {
    this.#at += 1
    while (this.#at < this.#source.length) {
      const char = this.#source[this.#at]
      if (char === '{') this.#expression('{')
      else if (this.#take(JSX_STRING) === undefined) this.#at += 1
      if (char === '>') return this.#source[this.#at - 2] !== '/'
    }
    return false
  }

  /** To behind the `}` of what opens here. */
  #expression(opening: '{' | '${'): void {
    this.#at += opening.length
    let depth = 1
    while (this.#at < this.#source.length && depth > 0) {
      const before = this.#tokens.length
      const offset = this.#at
      this.#one()
      const last = this.#tokens.length > before ? this.#tokens.at(-1) : undefined
      if (last?.kind !== 'mark' || last.offset !== offset) continue
      if (last.text === '{') depth += 1
      if (last.text === '}') depth -= 1
    }
  }

  /** Whether a slash begins a regular expression here, and does not divide. */
  #mayBeValue(): boolean {
    const last = this.#tokens.at(-1)
    if (last === undefined) return true
    if (last.kind === 'word') return BEFORE_VALUE.test(last.text)
    return last.kind === 'mark' && !/^[)\]}/<]$/.test(last.text)
  }

  #take(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at
    const found = pattern.exec(this.#source)?.[0]
    if (found !== undefined) this.#at += found.length
    return found
  }
}

const ESCAPE = /\\(?:u\{([0-9a-fA-F]{1,6})\}|u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|\r\n|([\s\S]))/g
const ESCAPED: Readonly<Record<string, string>> = {
  ...{ n: '\n', r: '\r', t: '\t', b: '\b', f: '\f', v: '\v', '0': '\0' },
  ...{ '\n': '', '\r': '', '\u2028': '', '\u2029': '' },
}

/** What a text stands for, as it is written between its quotes. */
function cooked(raw: string): string {
  const text = raw.replaceAll(/\r\n?/g, '\n')
  return text.replaceAll(ESCAPE, (_, ...[braced, four, two, char]: Array<string | undefined>) => {
    const code = braced ?? four ?? two
    if (code !== undefined)
      return String.fromCodePoint(Math.min(Number.parseInt(code, 16), 0x10_ffff))
    return char === undefined ? '' : (ESCAPED[char] ?? char)
  })
}
