// SPDX-License-Identifier: Apache-2.0

// The module for `--observers`. Each of these runs when what it observes has changed, and changes what
// the next ones observe:
//
//   page -> track_dependencies -> dependency, and tells render_page -> rendering -> parse_page -> document
//   document -> invert_links -> anchor, and tells rank_page -> rank, and tells rank_page and elect
//            -> cluster_document -> member, and tells elect -> cluster -> index_words -> posting

export { clusterDocument } from './observers/cluster-document.ts'
export { elect } from './observers/elect.ts'
export { indexWords } from './observers/index-words.ts'
export { invertLinks } from './observers/invert-links.ts'
export { parsePage } from './observers/parse-page.ts'
export { rankPage } from './observers/rank-page.ts'
export { renderPage } from './observers/render-page.ts'
export { trackDependencies } from './observers/track-dependencies.ts'
