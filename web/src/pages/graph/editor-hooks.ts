import { useMutation } from '@tanstack/react-query';
import { useMemo, useSyncExternalStore } from 'react';
import { client } from '../../api/client.ts';
import { useIsDark } from '../../app/theme.ts';
import { toastDone, toastError } from '../../ui/toast.ts';
import { type ExpansionRequest, readExpansion } from './expansion.ts';
import type { EditorView, GraphEditor } from './graph-editor.ts';
import { readCanvasColors, TypeColors } from './type-colors.ts';

export function useEditorView(editor: GraphEditor): EditorView {
  return useSyncExternalStore(editor.subscribe, () => editor.view);
}

/** The colors of the types in the theme of the page. */
export function useTypeColors(editor: GraphEditor): TypeColors {
  const isDark = useIsDark();
  return useMemo(() => {
    // What is read follows the theme, which React does not see.
    void isDark;
    return new TypeColors(readCanvasColors(), editor.nodeSlots, editor.edgeSlots);
  }, [editor, isDark]);
}

export interface Expansion {
  /** One step: so many neighbors as are chosen, of all edge types or of one. */
  readonly expand: (uid: string, group?: ExpansionRequest['group']) => void;
  readonly isBusy: boolean;
}

export function useExpansion(editor: GraphEditor, take: number): Expansion {
  const { mutate, isPending } = useMutation({
    mutationFn: (request: ExpansionRequest) =>
      readExpansion(client.system, editor.view.drawing, request),
    onSuccess: (addition, { uid, group }) => {
      // It may have been removed in the meantime.
      if (!editor.view.drawing.nodes.has(uid)) return;
      const label = editor.labelOf(uid);
      if (addition.edges.length === 0) toastDone(`All neighbors of ${label} are drawn`);
      else editor.add(`expand ${label}${group === undefined ? '' : ` by ${group.edge}`}`, addition);
    },
    onError: (error) => toastError('The neighbors could not be read', error),
  });
  return {
    expand: (uid, group) => mutate({ uid, take, ...(group !== undefined && { group }) }),
    isBusy: isPending,
  };
}
