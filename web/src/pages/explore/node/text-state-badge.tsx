import type { NodeFile } from '@trellis/contract/shapes/file.ts';
import { Badge } from '../../../ui/badge.tsx';

/** Whether a file can be found by its text; nothing where that is as it should be, or cannot be. */
export function TextStateBadge({ file }: { readonly file: NodeFile }) {
  const { TextState, TextError } = file;
  if (TextState === 'pending') return <Badge tone="info">Reading the text</Badge>;
  if (TextState === 'failed') {
    return (
      <>
        <Badge tone="warning">Text cannot be searched</Badge>
        <span className="text-[13px] text-muted">{TextError}</span>
      </>
    );
  }
  if (TextError !== null) return <span className="text-[13px] text-muted">{TextError}</span>;
  if (TextState === 'extracted') return <Badge tone="good">Text can be searched</Badge>;
  return null;
}
