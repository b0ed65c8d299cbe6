import { Notice } from '../../ui/notice.tsx';
import { ProgressBar } from '../../ui/progress-bar.tsx';
import { useSearchIndex } from './search-settings.ts';

/** What the index is busy with; nothing while it is not. */
export function IndexProgress() {
  const { data } = useSearchIndex();
  if (data === undefined) return null;
  const { rebuild, texts, embedder } = data;
  return (
    <>
      {rebuild !== null && (
        <ProgressBar
          label={`Indexing ${rebuild.types.join(', ')}`}
          fraction={rebuild.total === 0 ? 0 : rebuild.done / rebuild.total}
        />
      )}
      {texts.waiting > 0 && embedder?.status === 'off' && (
        <Notice tone="warning">
          {texts.waiting} texts wait for a vector, and there is no provider of embeddings.
        </Notice>
      )}
      {embedder?.status === 'waiting' && (
        <Notice tone="warning">
          The provider of embeddings failed: {embedder.lastError}. It is asked again by itself.
        </Notice>
      )}
    </>
  );
}
