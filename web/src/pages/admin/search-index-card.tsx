import { Link } from '@tanstack/react-router';
import { Card } from '../../ui/card.tsx';
import { FieldList } from '../../ui/field-list.tsx';
import { formatBytes, formatCount } from '../../ui/format.ts';
import { ProgressBar } from '../../ui/progress-bar.tsx';
import { QueryView } from '../../ui/query-view.tsx';
import { useSearchIndex } from '../content/search-settings.ts';

export function SearchIndexCard() {
  const index = useSearchIndex();
  return (
    <Card
      title="Search index"
      actions={
        <Link to="/admin/search" className="text-accent underline">
          Search settings
        </Link>
      }
    >
      <QueryView query={index} errorTitle="The state of the index could not be read">
        {({ documents, segments, bytes, bytesOnDisk, rebuild, texts, vectors, sequence }) => (
          <div className="flex flex-col gap-3">
            <FieldList
              items={[
                { name: 'Documents', value: formatCount(documents) },
                {
                  name: 'Size',
                  value: `${formatBytes(bytes)} in memory, ${formatBytes(bytesOnDisk)} on disk, ${formatCount(segments)} segments`,
                },
                {
                  name: 'Follows',
                  value:
                    sequence === null
                      ? 'The first index is being built'
                      : `sequence ${formatCount(sequence)}`,
                },
                {
                  name: 'Vectors',
                  value: formatCount(vectors.reduce((sum, field) => sum + field.vectors, 0)),
                },
                { name: 'Texts that wait for a vector', value: formatCount(texts.waiting) },
              ]}
            />
            {rebuild !== null && (
              <ProgressBar
                label={`Indexing ${rebuild.types.join(', ')}`}
                fraction={rebuild.total === 0 ? 0 : rebuild.done / rebuild.total}
              />
            )}
          </div>
        )}
      </QueryView>
    </Card>
  );
}
