// SPDX-License-Identifier: Apache-2.0

import { stepsOf, UNKNOWN_STEPS } from './observers/rank.ts'
import { CLUSTER_KEYS, type ClusterKeys, type Document, documentOf } from './pages/document.ts'

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
  const documents = new Map(pages.map(({ url, body }) => [url, documentOf(url, body)]))
  const anchors = [...documents.values()].flatMap(({ url, links }) =>
    links.map(([target, text]) => ({ target, source: url, text, outdegree: links.length })),
  )
  const { assignments, entries } = cluster(withNewestKeys(history, documents))
  const members = membersOf(assignments)
  const elected = new Map<number, Member>()
  for (const member of members) {
    if (!elected.has(member.cluster)) elected.set(member.cluster, member)
  }
  return {
    document: [...documents.values()].map(({ url, title, words, links, ...keys }) => [
      ...[url, title, words, links],
      ...CLUSTER_KEYS.map((key) => keys[key]),
    ]),
    anchor: anchors.map(({ target, source, text, outdegree }) => [target, source, text, outdegree]),
    cluster_key: entries,
    assignment: assignments.map(({ url, at, cluster, since, ...keys }) => [
      ...[url, at],
      ...CLUSTER_KEYS.map((key) => keys[key]),
      ...[cluster, since],
    ]),
    member: members.map(({ cluster, since, url, at }) => [cluster, since, url, at]),
    cluster: [...elected.values()].map(({ cluster, url, at }) => [cluster, url, at]),
    posting: [...elected.values()].flatMap(({ cluster, url }) =>
      (documents.get(url)?.words ?? []).map(([word, count]) => [word, cluster, url, count]),
    ),
    rank: rankAll(anchors),
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

type Assignment = Clustered & { readonly cluster: number | null; readonly since: number | null }

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
  const clusterOf = (document: Clustered): number => {
    const first = follows.get(document)
    return first === undefined ? document.at : clusterOf(first)
  }
  const newest = new Map<string, Assignment>()
  const assignments = history.map((document) => {
    const { url, at, content_key } = document
    const cluster = content_key === null ? null : clusterOf(document)
    const before = newest.get(url)
    const since = cluster === null ? null : before?.cluster === cluster ? before.since : at
    const assignment = { ...document, cluster, since }
    newest.set(url, assignment)
    return assignment
  })
  const entries = firsts.map(({ pass, key, first }) => [pass, key, clusterOf(first)])
  return { assignments, entries }
}

type Member = {
  readonly cluster: number
  readonly since: number
  readonly url: string
  readonly at: number
}

/** Where each url is now, the earliest first. */
function membersOf(assignments: readonly Assignment[]): Member[] {
  const newest = new Map(assignments.map((assignment) => [assignment.url, assignment]))
  return [...newest.values()]
    .flatMap(({ cluster, since, url, at }) =>
      cluster === null || since === null ? [] : [{ cluster, since, url, at }],
    )
    .sort((a, b) => a.since - b.since)
}

/** Step by step for all urls that anything leads to. */
function rankAll(
  anchors: ReadonlyArray<{ target: string; source: string; outdegree: number }>,
): ReadonlyArray<readonly unknown[]> {
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
  return [...ranked].map(([url, steps]) => [url, steps, steps.at(-1)])
}
