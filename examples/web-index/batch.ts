// SPDX-License-Identifier: Apache-2.0

import { clusterOf } from './observers/cluster.ts'
import { stepsOf, UNKNOWN_STEPS } from './observers/rank.ts'
import {
  addCounts,
  CLUSTER_KEYS,
  type ClusterKeys,
  countWords,
  type Document,
  documentOf,
  type WordCounts,
  wordsOf,
} from './pages/document.ts'
import { readHtml, renderHtml } from './pages/html.ts'

export type PageRow = { readonly url: string; readonly body: string }

/** A version of a document that was clustered; its keys are null where the page was gone. */
export type Clustered = { readonly url: string; readonly at: number } & {
  readonly [Key in keyof ClusterKeys]: string | null
}

/** What every table should hold: its rows, each as the array of its columns in their order. */
export type Tables = Readonly<Record<string, ReadonlyArray<readonly unknown[]>>>

/**
 * Computes all tables from the pages alone, one whole step after the other, as the MapReduces did that
 * Percolator replaced. Which copy came first is no property of the pages, so the order of the decisions
 * is given too, with the keys of versions that are no more.
 */
export function recompute(pages: readonly PageRow[], history: readonly Clustered[]): Tables {
  const bodies = new Map(pages.map(({ url, body }) => [url, body]))
  const renderings = pages.map(({ url, body }) => ({ url, html: renderHtml(url, body, bodies) }))
  const documents = new Map(renderings.map(({ url, html }) => [url, documentOf(url, html)]))
  const anchors = [...documents.values()].flatMap(({ url, links }) =>
    links.map(([target, text]) => ({ target, source: url, text, outdegree: links.length })),
  )
  const { assignments, entries } = cluster(withNewestKeys(history, documents))
  const members = membersOf(assignments)
  const linked = linkedPages(anchors)
  const clusters = clustersOf(members, linked)
  return {
    dependency: pages.flatMap(({ url, body }) =>
      readHtml(url, body).includes.map((resource) => [resource, url]),
    ),
    rendering: renderings.map(({ url, html }) => [url, html]),
    document: [...documents.values()].map(({ url, title, words, links, ...keys }) => [
      ...[url, title, words, links],
      ...CLUSTER_KEYS.map((key) => keys[key]),
    ]),
    anchor: anchors.map(({ target, source, text, outdegree }) => [target, source, text, outdegree]),
    cluster_key: entries,
    assignment: assignments.map(({ url, at, cluster, ...keys }) => [
      ...[url, at],
      ...CLUSTER_KEYS.map((key) => keys[key]),
      cluster,
    ]),
    member: members.map(({ url, cluster, at }) => [url, cluster, at]),
    cluster: clusters.map(({ id, url, at, anchor_words, rank, pages }) => [
      ...[id, url, at, anchor_words, rank, pages],
    ]),
    posting: clusters.flatMap(({ id, url, anchor_words }) =>
      addCounts([documents.get(url)?.words ?? [], anchor_words]).map(([word, count]) => [
        ...[word, id, url, count],
      ]),
    ),
    rank: [...linked].map(([url, { steps, rank, anchor_words }]) => [
      ...[url, steps, rank, anchor_words],
    ]),
  }
}

const GONE = { canonical_key: null, content_key: null, sketch_key: null }

/** The newest decision on each url must have been made on the document as it is now. */
function withNewestKeys(
  history: readonly Clustered[],
  documents: ReadonlyMap<string, Document>,
): Clustered[] {
  const newest = new Map<string, Clustered>(
    [...documents.keys()].map((url) => [url, { url, at: 0, ...GONE }]),
  )
  const ascending = history.toSorted((a, b) => a.at - b.at)
  for (const decision of ascending) newest.set(decision.url, decision)
  const older = ascending.filter((decision) => newest.get(decision.url) !== decision)
  const corrected = [...newest.values()].map(({ url, at }) => {
    const { canonical_key, content_key, sketch_key } = documents.get(url) ?? GONE
    return { url, at, canonical_key, content_key, sketch_key }
  })
  return [...older, ...corrected].sort((a, b) => a.at - b.at)
}

type Assignment = Clustered & { readonly cluster: number | null }

/**
 * Three passes over everything, one for each key: of documents that share it the earliest goes on to the
 * next pass, and the others go where it goes. Answers where each document went, and the key tables.
 */
function cluster(history: readonly Clustered[]) {
  const follows = new Map<Clustered, Clustered>()
  const firsts: Array<{ pass: number; key: string; first: Clustered }> = []
  let remaining = history.filter(({ content_key }) => content_key !== null)
  for (const [position, name] of CLUSTER_KEYS.entries()) {
    const earliest = new Map<string, Clustered>()
    remaining = remaining.filter((document) => {
      const key = document[name]
      if (key === null) return true
      const first = earliest.get(key)
      if (first !== undefined) follows.set(document, first)
      else earliest.set(key, document)
      return first === undefined
    })
    for (const [key, first] of earliest) firsts.push({ pass: position + 1, key, first })
  }
  const idOf = (document: Clustered): number => {
    const first = follows.get(document)
    return first === undefined ? document.at : idOf(first)
  }
  const assignments = history.map((document) => {
    const cluster = document.content_key === null ? null : idOf(document)
    return { ...document, cluster }
  })
  const entries = firsts.map(({ pass, key, first }) => [pass, key, idOf(first)])
  return { assignments, entries }
}

type Member = { readonly url: string; readonly cluster: number; readonly at: number }

/** Where each url is now. */
function membersOf(assignments: readonly Assignment[]): Member[] {
  const newest = new Map(assignments.map((assignment) => [assignment.url, assignment]))
  return [...newest.values()].flatMap(({ url, cluster, at }) =>
    cluster === null ? [] : [{ url, cluster, at }],
  )
}

function clustersOf(members: readonly Member[], linked: ReadonlyMap<string, Linked>) {
  return [...Map.groupBy(members, ({ cluster }) => cluster)].flatMap(([id, copies]) => {
    const cluster = clusterOf(
      copies.map(({ url, at }) => {
        const { rank, anchor_words } = linked.get(url) ?? { rank: null, anchor_words: null }
        return { url, at, rank, anchor_words }
      }),
    )
    return cluster === undefined ? [] : [{ id, ...cluster }]
  })
}

type Anchor = {
  readonly target: string
  readonly source: string
  readonly text: string
  readonly outdegree: number
}
type Linked = {
  readonly steps: readonly number[]
  readonly rank: number
  readonly anchor_words: WordCounts
}

/** All urls that anything leads to, ranked step by step, and what the links say of them. */
function linkedPages(anchors: readonly Anchor[]): ReadonlyMap<string, Linked> {
  const targets = Map.groupBy(anchors, ({ target }) => target)
  let ranked = new Map<string, number[]>()
  // Each round gets one more step right.
  for (const _step of UNKNOWN_STEPS) {
    const before = ranked
    ranked = new Map(
      [...targets].map(([url, leading]) => [
        url,
        stepsOf(
          leading.map(({ source, outdegree }) => ({
            steps: before.get(source) ?? UNKNOWN_STEPS,
            outdegree,
          })),
        ),
      ]),
    )
  }
  return new Map(
    [...targets].map(([url, leading]) => {
      const steps = ranked.get(url) as number[]
      const anchor_words = countWords(leading.flatMap(({ text }) => wordsOf(text)))
      return [url, { steps, rank: steps.at(-1) as number, anchor_words }]
    }),
  )
}
