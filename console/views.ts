// SPDX-License-Identifier: Apache-2.0
import type { ComponentType } from 'preact'
import type { ViewProps } from './page/view-props.ts'

export type View = {
  /** In the address bar. */
  readonly view: string
  /** Another name of it, under which one may look for a part of it. */
  readonly alias?: string
  readonly title: string
  /** Of the principal; without it the view is not loaded, and says so. */
  readonly right?: 'inspect' | 'admin'
  readonly load: () => Promise<ComponentType<ViewProps>>
}

/** The views in the order of their tabs; each one comes with what it needs when it is first opened. */
export const VIEWS: readonly View[] = [
  {
    view: 'query',
    title: 'Query',
    load: async () => (await import('./query/query-view.tsx')).QueryView,
  },
  {
    view: 'tables',
    title: 'Tables',
    load: async () => (await import('./tables/tables-view.tsx')).TablesView,
  },
  {
    view: 'cells',
    title: 'Cells',
    right: 'inspect',
    load: async () => (await import('./cells/cells-view.tsx')).CellsView,
  },
  {
    view: 'live',
    alias: 'subscriptions',
    title: 'Live',
    load: async () => (await import('./live/live-view.tsx')).LiveView,
  },
  {
    view: 'transactions',
    title: 'Transactions',
    load: async () => (await import('./transactions/transactions-view.tsx')).TransactionsView,
  },
  {
    view: 'observers',
    title: 'Observers',
    right: 'inspect',
    load: async () => (await import('./observers/observers-view.tsx')).ObserversView,
  },
  {
    view: 'access',
    title: 'Access',
    load: async () => (await import('./access/access-view.tsx')).AccessView,
  },
  {
    view: 'status',
    title: 'Status',
    right: 'inspect',
    load: async () => (await import('./status/status-view.tsx')).StatusView,
  },
]
