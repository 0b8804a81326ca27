// SPDX-License-Identifier: Apache-2.0
import {
  canonicalJson,
  type JsonVisitor,
  type Meter,
  walkPaid,
  wholeSpan,
} from '../../storage/values/values.ts'

type Scalar = { readonly kind: 'scalar'; readonly canonical: string }
type ArrayNode = {
  readonly kind: 'array'
  /** By their canonical texts. */
  readonly scalars: Map<string, Scalar>
  readonly others: Array<ArrayNode | ObjectNode>
}
type ObjectNode = { readonly kind: 'object'; readonly members: Map<string, Node> }
type Node = Scalar | ArrayNode | ObjectNode

/** What a character costs that becomes part of a tree, and what a pair of its nodes costs. */
const TREE_UNITS = 40
const PAIR_UNITS = 16

/**
 * Whether the first JSON holds all of the second: of an object the members that the second names, each holding the
 * second's; of an array every element of the second, in any order; of others the value. An array also holds a value
 * that is one of its elements, at the top. Numbers are equal as decimals.
 */
export function holdsJson(text: string, part: string, meter: Meter): boolean {
  const whole = treeOf(text, meter)
  const sought = treeOf(part, meter)
  if (whole.kind === 'array' && sought.kind === 'scalar') return whole.scalars.has(sought.canonical)
  return holds(whole, sought, meter)
}

function holds(whole: Node, part: Node, meter: Meter): boolean {
  meter.spend(PAIR_UNITS)
  if (part.kind === 'scalar') return whole.kind === 'scalar' && whole.canonical === part.canonical
  if (part.kind === 'object') {
    if (whole.kind !== 'object') return false
    for (const [name, value] of part.members) {
      meter.spend(PAIR_UNITS)
      const own = whole.members.get(name)
      if (own === undefined || !holds(own, value, meter)) return false
    }
    return true
  }
  if (whole.kind !== 'array') return false
  meter.spend(part.scalars.size)
  for (const canonical of part.scalars.keys()) if (!whole.scalars.has(canonical)) return false
  return part.others.every((item) => whole.others.some((own) => holds(own, item, meter)))
}

function treeOf(text: string, meter: Meter): Node {
  const builder = new TreeBuilder(text)
  walkPaid(text, wholeSpan(text), builder, meter, TREE_UNITS)
  return builder.root as Node
}

class TreeBuilder implements JsonVisitor {
  readonly #text: string
  readonly #open: Array<{ readonly node: ArrayNode | ObjectNode; name: string }> = []
  readonly isDone = false
  root: Node | undefined

  constructor(text: string) {
    this.#text = text
  }

  open(kind: '{' | '['): void {
    const node: ArrayNode | ObjectNode =
      kind === '{'
        ? { kind: 'object', members: new Map() }
        : { kind: 'array', scalars: new Map(), others: [] }
    this.#add(node)
    this.#open.push({ node, name: '' })
  }

  close(): void {
    this.#open.pop()
  }

  name(from: number, to: number): void {
    const open = this.#open.at(-1)
    if (open !== undefined) open.name = JSON.parse(this.#text.slice(from, to)) as string
  }

  scalar(from: number, to: number): void {
    this.#add({ kind: 'scalar', canonical: canonicalJson(this.#text.slice(from, to)) })
  }

  #add(node: Node): void {
    const open = this.#open.at(-1)
    if (open === undefined) this.root = node
    else if (open.node.kind === 'object') open.node.members.set(open.name, node)
    else if (node.kind === 'scalar') open.node.scalars.set(node.canonical, node)
    else open.node.others.push(node)
  }
}
