import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Card } from '../../ui/card.tsx';
import { PageHeader } from '../../ui/page-header.tsx';
import { QueryView } from '../../ui/query-view.tsx';
import { IndexProgress } from './index-progress.tsx';
import { schemaQuery } from './schema.ts';
import { searchSettingsQuery } from './search-settings.ts';
import { SearchSettingsForm } from './search-settings-form.tsx';

/** What is searched, and how; a change is indexed in the background. */
export function SearchSettingsPage() {
  const schema = useQuery(schemaQuery);
  const settings = useQuery(searchSettingsQuery);
  return (
    <>
      <PageHeader
        title="Search settings"
        description="Which types and fields are searched, in which language, and by meaning. Searches go on while a change is indexed."
      />
      <div className="flex flex-col gap-5">
        <IndexProgress />
        <QueryView query={schema} errorTitle="The schema could not be read">
          {(schemaData) => (
            <QueryView query={settings} errorTitle="The search settings could not be read">
              {(settingsData) => <SearchSettingsForm schema={schemaData} settings={settingsData} />}
            </QueryView>
          )}
        </QueryView>
        <Card title="Search by meaning">
          <p>
            The vectors of texts are made by a provider of embeddings, which stands with the other{' '}
            <Link to="/assistant/providers" className="text-accent underline">
              providers
            </Link>
            .
          </p>
        </Card>
      </div>
    </>
  );
}
