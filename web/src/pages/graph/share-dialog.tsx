import { useQuery } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { CopyButton } from '../../ui/copy-button.tsx';
import { Dialog, DialogActions } from '../../ui/dialog.tsx';
import { TextField } from '../../ui/field.tsx';
import { Notice } from '../../ui/notice.tsx';
import { QueryView } from '../../ui/query-view.tsx';
import type { GraphEditor } from './graph-editor.ts';
import { packGraph } from './graph-link.ts';

interface ShareDialogProps {
  readonly editor: GraphEditor;
  readonly onClose: () => void;
}

/**
 * The picture as a link. It holds UIDs, places and edges: whoever opens it sees what they may see.
 */
export function ShareDialog({ editor, onClose }: ShareDialogProps) {
  const router = useRouter();
  const query = useQuery({
    queryKey: ['graph', 'link', editor.view.drawing],
    queryFn: async () => {
      const layout = await packGraph(editor.scene.picture());
      if (layout === undefined) return null;
      const { href } = router.buildLocation({ to: '/graph', search: { layout } });
      return new URL(router.history.createHref(href), document.baseURI).href;
    },
    gcTime: 0,
  });
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title="Share as a link"
      description="Whoever opens it sees the nodes that they may see, in the same places."
    >
      <QueryView query={query} errorTitle="The link could not be made" rows={2}>
        {(link) =>
          link === null ? (
            <Notice tone="warning">
              The drawing is too large for a link. Export it as JSON instead, and pass on the file.
            </Notice>
          ) : (
            <>
              <TextField
                label="Link"
                readOnly
                value={link}
                onFocus={(event) => event.target.select()}
              />
              <DialogActions>
                <CopyButton text={link} label="Copy link" />
              </DialogActions>
            </>
          )
        }
      </QueryView>
    </Dialog>
  );
}
