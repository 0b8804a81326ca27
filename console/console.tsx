// SPDX-License-Identifier: Apache-2.0
import { type ComponentType, render } from 'preact'
import { useCallback, useEffect, useErrorBoundary, useMemo, useState } from 'preact/hooks'
import { ConsoleContext, type ConsoleDependencies } from './page/console-context.ts'
import { NeedsRight, Problem } from './page/problem.tsx'
import { needsToken, problemFacts } from './page/problem-facts.ts'
import { forgetToken, keptToken, type SignedIn, signIn } from './page/sign-in.ts'
import { Stamp } from './page/stamp.tsx'
import { PANEL_ID, tabId } from './page/tab-walk.ts'
import { Tabs } from './page/tabs.tsx'
import { TokenPrompt } from './page/token-prompt.tsx'
import { useAddress } from './page/use-address.ts'
import type { ViewProps } from './page/view-props.ts'
import { VIEWS, type View } from './views.ts'

type State =
  | { readonly kind: 'asking' }
  | { readonly kind: 'prompt'; readonly error?: unknown }
  | { readonly kind: 'failed'; readonly error: unknown }
  | ({ readonly kind: 'ready' } & SignedIn)

/** The whole page: asks who is there, and for a token where one is needed. */
function Console() {
  const [state, setState] = useState<State>({ kind: 'asking' })
  const askForToken = useCallback((error?: unknown) => {
    forgetToken()
    setState({ kind: 'prompt', error })
  }, [])
  const enter = useCallback(
    async (token: string | undefined) => {
      setState({ kind: 'asking' })
      try {
        const refused = () =>
          askForToken(new Error('The server does not take this token any more.'))
        setState({ kind: 'ready', ...(await signIn(token, refused)) })
      } catch (error) {
        if (token !== undefined) askForToken(error)
        else if (needsToken(error)) askForToken()
        else setState({ kind: 'failed', error })
      }
    },
    [askForToken],
  )
  useEffect(() => {
    void enter(keptToken())
  }, [enter])
  switch (state.kind) {
    case 'asking':
      return <p class="notice">Asking the server …</p>
    case 'prompt':
      return <TokenPrompt error={state.error} onToken={enter} />
    case 'failed':
      return <NoServer error={state.error} onAgain={() => enter(undefined)} />
    case 'ready':
      return <Frame signedIn={state} askForToken={askForToken} />
  }
}

function NoServer({ error, onAgain }: { readonly error: unknown; readonly onAgain: () => void }) {
  return (
    <main class="prompt">
      <h1>Percolite</h1>
      <p role="alert">{problemFacts(error).message}</p>
      <button type="button" onClick={onAgain}>
        Ask again
      </button>
    </main>
  )
}

function Frame({
  signedIn,
  askForToken,
}: {
  readonly signedIn: SignedIn
  readonly askForToken: (error?: unknown) => void
}) {
  const { db, principal, dropSockets } = signedIn
  const deps = useMemo<ConsoleDependencies>(
    () => ({ db, principal, dropSockets, askForToken }),
    [db, principal, dropSockets, askForToken],
  )
  useEffect(() => () => db.close(), [db])
  const address = useAddress()
  const view = viewOf(address.view)
  useEffect(() => {
    document.title = `${view.title} · Percolite`
  }, [view])
  const isAllowed = view.right === undefined || principal.rights.includes(view.right)
  return (
    <ConsoleContext.Provider value={deps}>
      <header class="top">
        <h1>
          Percolite<span class="unseen"> console: {view.title}</span>
        </h1>
        <nav aria-label="Console">
          <Tabs tabs={VIEWS} chosen={view.view} />
        </nav>
        <Who deps={deps} />
      </header>
      <main>
        <div id={PANEL_ID} class="panel" role="tabpanel" aria-labelledby={tabId(view.view)}>
          {isAllowed ? (
            <Loaded key={view.view} load={view.load} props={{ address }} />
          ) : (
            <NeedsRight right={view.right as string} />
          )}
        </div>
      </main>
    </ConsoleContext.Provider>
  )
}

/** The first one for a name that none has. */
function viewOf(name: string): View {
  const found = VIEWS.find(({ view, alias }) => view === name || alias === name)
  return found ?? (VIEWS[0] as View)
}

/** Whose token it is, and how to leave. */
function Who({ deps: { principal, askForToken } }: { readonly deps: ConsoleDependencies }) {
  const { tokenRequired, role, id, expires } = principal
  if (!tokenRequired) return <p class="who muted">open to all</p>
  return (
    <div class="who">
      <span class="muted" title={id}>
        {id?.startsWith('as:') && 'seen as '}role <strong>{role}</strong>
        {expires !== undefined && (
          <span class="wide">
            {' '}
            until <Stamp micros={expires} />
          </span>
        )}
      </span>
      <button type="button" onClick={() => askForToken()}>
        Sign out
      </button>
    </div>
  )
}

/** A view, once its files are here. */
function Loaded({
  load,
  props,
}: {
  readonly load: () => Promise<ComponentType<ViewProps>>
  readonly props: ViewProps
}) {
  const [loaded, setLoaded] = useState<{
    readonly View?: ComponentType<ViewProps>
    readonly error?: unknown
  }>({})
  const failed = (error: unknown) => setLoaded({ error })
  useEffect(() => {
    load().then((View) => setLoaded({ View }), failed)
  }, [load])
  // What a view throws is shown in its place, and not an empty page.
  useErrorBoundary(failed)
  const { View, error } = loaded
  if (error !== undefined) return <Problem error={error} />
  return View === undefined ? <p class="notice">Loading …</p> : <View {...props} />
}

render(<Console />, document.getElementById('console') as HTMLElement)
