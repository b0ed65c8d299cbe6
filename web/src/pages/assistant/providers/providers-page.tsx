import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { KeyRound } from 'lucide-react';
import { useChangePermission } from '../../../app/permissions.ts';
import { buttonClasses } from '../../../ui/button.tsx';
import { PageHeader } from '../../../ui/page-header.tsx';
import { QueryView } from '../../../ui/query-view.tsx';
import { PermissionNotice } from '../../manage/permission-notice.tsx';
import { ChatProviderCard } from './chat-provider-card.tsx';
import { EmbeddingsCard } from './embeddings-card.tsx';
import { FurtherProvidersCard } from './further-providers-card.tsx';
import { providersQuery } from './provider-queries.ts';
import { UsageCard } from './usage-card.tsx';

/**
 * Which servers are asked for what models do, and what was asked of them (docs/llm.md,
 * docs/embeddings.md).
 */
export function ProvidersPage() {
  const permission = useChangePermission();
  const providers = useQuery(providersQuery);
  return (
    <>
      <PageHeader
        title="Providers"
        description="The servers that run models for this workspace. What people and programs ask of a model is sent there, and nowhere else."
        actions={
          <Link
            to="/manage/access/tokens"
            search={{ kind: 'llm-openai' }}
            className={buttonClasses()}
          >
            <KeyRound className="size-4" aria-hidden />
            Tokens of the router
          </Link>
        }
      />
      <PermissionNotice permission={permission} />
      <div className="flex flex-col gap-5">
        <QueryView query={providers} errorTitle="The providers could not be read" rows={10}>
          {({ chat, furtherChat, embeddings }) => (
            <div className="grid items-start gap-5 xl:grid-cols-2">
              <ChatProviderCard
                key={`chat ${chat !== null}`}
                chat={chat}
                isAllowed={permission.isAllowed}
              />
              {chat !== null && (
                <div className="order-last xl:col-span-2">
                  <FurtherProvidersCard providers={furtherChat} isAllowed={permission.isAllowed} />
                </div>
              )}
              <EmbeddingsCard
                key={`embeddings ${embeddings !== null}`}
                embeddings={embeddings}
                isAllowed={permission.isAllowed}
              />
            </div>
          )}
        </QueryView>
        <UsageCard />
      </div>
    </>
  );
}
