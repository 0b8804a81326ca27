// SPDX-License-Identifier: Apache-2.0

/**
 * How one transaction follows another (Adya): `ww` it overwrote its version, `wr` it read its version,
 * `rw` it overwrote the version that the other had read.
 */
export type DependencyKind = 'ww' | 'wr' | 'rw'

export type CycleName = 'G0' | 'G1c' | 'G-single' | 'G-nonadjacent' | 'G2-item'
export type Cycle = { readonly name: CycleName; readonly path: string }

type Edge = { readonly kind: DependencyKind; readonly to: number; readonly about: string }

/** Transactions by number, and their dependencies. */
export class DependencyGraph {
  readonly #edges = new Map<number, Edge[]>()

  add(from: number, kind: DependencyKind, to: number, about: string): void {
    if (from === to) return
    const edges = this.#edges.get(from) ?? []
    this.#edges.set(from, edges)
    if (!edges.some((edge) => edge.kind === kind && edge.to === to)) edges.push({ kind, to, about })
  }

  /**
   * One cycle of each knot of transactions, of the worst kind that it has. Snapshot isolation allows
   * only cycles with two adjacent rw edges (G2-item, write skew): all others have a name of a
   * forbidden anomaly.
   */
  cycles(): Cycle[] {
    return this.#stronglyConnected()
      .filter((members) => members.length > 1)
      .map((members) => this.#worstCycle(new Set(members)))
  }

  #worstCycle(members: ReadonlySet<number>): Cycle {
    for (const { name, first, allowed } of CYCLE_KINDS) {
      for (const from of members) {
        for (const edge of this.#edges.get(from) ?? []) {
          if (!members.has(edge.to) || edge.kind !== first) continue
          const rest = this.#wayBack(edge, from, members, allowed)
          if (rest !== undefined) return { name, path: describe(from, [edge, ...rest]) }
        }
      }
    }
    return { name: 'G2-item', path: [...members].join() }
  }

  /**
   * The shortest way from the edge's end back to its start, such that no two rw edges of the whole
   * cycle are adjacent where that is asked for.
   */
  #wayBack(
    start: Edge,
    target: number,
    members: ReadonlySet<number>,
    allowed: 'ww' | 'ww wr' | 'apart' | 'any',
  ): Edge[] | undefined {
    const kinds =
      allowed === 'ww' ? ['ww'] : allowed === 'ww wr' ? ['ww', 'wr'] : ['ww', 'wr', 'rw']
    const isApart = allowed === 'apart'
    const stateOf = (edge: Edge) => `${edge.to}${isApart && edge.kind === 'rw' ? '!' : ''}`
    const seen = new Set([stateOf(start)])
    let ways: Edge[][] = [[start]]
    while (ways.length > 0) {
      const longer: Edge[][] = []
      for (const way of ways) {
        const last = way.at(-1) as Edge
        for (const edge of this.#edges.get(last.to) ?? []) {
          if (!members.has(edge.to) || !kinds.includes(edge.kind)) continue
          if (isApart && edge.kind === 'rw' && last.kind === 'rw') continue
          const closes =
            edge.to === target && !(isApart && edge.kind === 'rw' && start.kind === 'rw')
          if (closes) return [...way.slice(1), edge]
          if (seen.has(stateOf(edge))) continue
          seen.add(stateOf(edge))
          longer.push([...way, edge])
        }
      }
      ways = longer
    }
    return undefined
  }

  /** Tarjan's algorithm, without recursion: histories may be long. */
  #stronglyConnected(): number[][] {
    const order = new Map<number, number>()
    const low = new Map<number, number>()
    const stack: number[] = []
    const onStack = new Set<number>()
    const components: number[][] = []
    for (const root of this.#edges.keys()) {
      if (order.has(root)) continue
      const trail: Array<{ node: number; next: number }> = []
      const enter = (node: number) => {
        order.set(node, order.size)
        low.set(node, order.get(node) as number)
        stack.push(node)
        onStack.add(node)
        trail.push({ node, next: 0 })
      }
      enter(root)
      while (trail.length > 0) {
        const at = trail.at(-1) as { node: number; next: number }
        const edge = this.#edges.get(at.node)?.[at.next]
        if (edge !== undefined) {
          at.next += 1
          if (!order.has(edge.to)) enter(edge.to)
          else if (onStack.has(edge.to)) lower(low, at.node, order.get(edge.to) as number)
          continue
        }
        trail.pop()
        const above = trail.at(-1)
        if (above !== undefined) lower(low, above.node, low.get(at.node) as number)
        if (low.get(at.node) !== order.get(at.node)) continue
        const component = stack.splice(stack.indexOf(at.node))
        for (const member of component) onStack.delete(member)
        components.push(component)
      }
    }
    return components
  }
}

/** From the worst to the harmless: what the first edge is, and what the others may be. */
const CYCLE_KINDS = [
  { name: 'G0', first: 'ww', allowed: 'ww' },
  { name: 'G1c', first: 'wr', allowed: 'ww wr' },
  { name: 'G-single', first: 'rw', allowed: 'ww wr' },
  { name: 'G-nonadjacent', first: 'rw', allowed: 'apart' },
  { name: 'G2-item', first: 'rw', allowed: 'any' },
] as const

function lower(low: Map<number, number>, node: number, to: number): void {
  if (to < (low.get(node) as number)) low.set(node, to)
}

function describe(from: number, edges: readonly Edge[]): string {
  return edges.reduce(
    (text, { kind, to, about }) => `${text} -${kind} ${about}-> T${to}`,
    `T${from}`,
  )
}
