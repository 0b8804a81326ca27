// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import test from 'node:test'
import { documentOf } from './document.ts'
import { readHtml, renderHtml, writeHtml } from './html.ts'

const URL_A = 'http://a.example/'
const LONG = 'one two three four five six seven eight nine ten eleven twelve thirteen fourteen'

function keysOf(text: string, canonical?: string) {
  return documentOf(URL_A, writeHtml({ title: 'Title', text, links: [], canonical }))
}

test('a page is taken apart into its title, words, and links to other pages', () => {
  const body = `<title>Of cats</title><p>A cat, a <b>Cat</b>; dogs</p>
    <a href="/b#part">to b</a> <a href="http://a.example/b">again</a> <a class="x" href="?q=1">q</a>
    <a href="#top">top</a> <a href="mailto:a@b.example">mail</a> <a href="http://[">broken</a>`
  const { title, words, links } = documentOf(URL_A, body)
  assert.equal(title, 'Of cats')
  assert.deepEqual(words.slice(0, 4), [
    ['a', 2],
    ['again', 1],
    ['b', 1],
    ['broken', 1],
  ])
  assert.deepEqual(links, [
    ['http://a.example/?q=1', 'q'],
    ['http://a.example/b', 'to b'],
  ])
})

test('copies have the same content key whatever their markup, and another one for other words', () => {
  assert.equal(keysOf('Some <i>words</i>.').content_key, keysOf('some words').content_key)
  assert.notEqual(keysOf('some words').content_key, keysOf('words some').content_key)
})

test('pages that differ in a word have the same sketch, and those of other words have not', () => {
  const sketches = ['fifteen', 'sixteen', 'seventeen', 'eighteen'].map(
    (word) => keysOf(`${LONG} ${word}`).sketch_key,
  )
  assert.equal(new Set(sketches).size < sketches.length, true)
  assert.notEqual(keysOf(LONG).sketch_key, keysOf('nothing of all that').sketch_key)
})

test('the canonical key is the url that the page says is its true one, if it does', () => {
  assert.equal(keysOf(LONG).canonical_key, null)
  assert.equal(keysOf(LONG, '/true').canonical_key, 'http://a.example/true')
})

test('in the places of its frames a page has the texts of what it includes, and nothing of what that includes', () => {
  const frames = (...urls: string[]) =>
    urls.map((src) => `<iframe src="${src}">old</iframe>`).join()
  const body = `<p>Before ${frames('/news', '/', '/gone', '/news')} after</p>`
  assert.deepEqual(readHtml(URL_A, body).includes, [`${URL_A}gone`, `${URL_A}news`])
  const news = `<title>Unseen</title><b>All $& <a href="/more">news</a></b>${frames('/a', URL_A)}`
  const html = renderHtml(URL_A, body, new Map([[`${URL_A}news`, news]]))
  assert.deepEqual(
    documentOf(URL_A, html).words.map(([word, count]) => `${word} ${count}`),
    ['after 1', 'all 2', 'before 1', 'news 2'],
  )
  assert.deepEqual(documentOf(URL_A, html).links, [], 'they are those of the page that is included')
})
