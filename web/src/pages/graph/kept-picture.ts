import { useQueryClient } from '@tanstack/react-query';
import { getRouteApi, useRouter } from '@tanstack/react-router';
import { useEffect } from 'react';
import type { Picture } from './drawing-history.ts';
import type { GraphAddress, GraphEditor } from './graph-editor.ts';
import { packGraph, TAB_LIMITS } from './graph-link.ts';
import { editorQuery } from './graph-start.ts';
import { keepInTab } from './tab-pictures.ts';

const route = getRouteApi('/workspace/graph');
const GRAPH_PATH = '/graph';

/** One who draws takes several steps in a row; browsers refuse addresses that change too often. */
const PAUSE_MS = 400;

/**
 * Keeps what is drawn in the address, so that a reload, a bookmark and a link show it again. What
 * is too large for an address is kept in the tab. What somebody else linked stays in the address as
 * it was, with the nodes that are not shown, until it is changed here.
 */
export function useKeptPicture(editor: GraphEditor): void {
  const queries = useQueryClient();
  const navigate = route.useNavigate();
  const router = useRouter();
  const { node, layout, kept } = route.useSearch();
  const { revision, isLayoutRunning } = editor.view;
  useEffect(() => {
    const here = { node, layout, kept };
    if (isLayoutRunning || editor.isKept(here)) return;
    let isOver = false;
    const keep = async (): Promise<void> => {
      const start = await startOf(editor.scene.picture());
      // Who has gone on is not to be brought back, while the next page is read.
      if (isOver || router.latestLocation.pathname !== GRAPH_PATH) return;
      editor.keep(start ?? here);
      if (start === undefined) return;
      const { queryKey } = editorQuery(start);
      queries.setQueryData(queryKey, editor);
      await navigate({ search: ({ view, record }) => ({ view, record, ...start }), replace: true });
      // By an address that named nodes one comes back, and finds what one has made of them.
      if (node !== undefined || editor.isKept(here)) return;
      queries.removeQueries({ queryKey: editorQuery(here).queryKey, exact: true });
    };
    const timer = setTimeout(() => void keep(), PAUSE_MS);
    return () => {
      isOver = true;
      clearTimeout(timer);
    };
  }, [editor, revision, isLayoutRunning, queries, navigate, router, node, layout, kept]);
}

/**
 * What the address has to say so that the page begins with the picture; undefined where there is no
 * room for it.
 */
async function startOf(picture: Picture): Promise<GraphAddress | undefined> {
  if (picture.drawing.nodes.size === 0) return {};
  const layout = await packGraph(picture);
  if (layout !== undefined) return { layout };
  const text = await packGraph(picture, TAB_LIMITS);
  const kept = text === undefined ? undefined : keepInTab(text);
  return kept === undefined ? undefined : { kept };
}
