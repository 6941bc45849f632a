package storage

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/config"
)

// amazonURL is where a bucket is. It sets a region, if there is only one.
func amazonURL(ctx context.Context, cfg *aws.Config, name string) (*url.URL, error) {
	if endpoint := endpointOf(ctx, cfg); endpoint != "" {
		cfg.Region = cmp.Or(cfg.Region, "us-east-1")
		u, err := url.Parse(endpoint)
		if err == nil && u.Host == "" {
			err = errors.New("not a URL")
		}
		if err != nil {
			return nil, fmt.Errorf("endpoint %q: %w", endpoint, err)
		}
		u.Path = strings.TrimSuffix(u.Path, "/") + "/" + name
		return u, nil
	}
	if cfg.Region == "" {
		return nil, errors.New("no region: set AWS_REGION")
	}
	host := amazonHost(ctx, cfg)
	if strings.Contains(name, ".") { // of no certificate
		return &url.URL{Scheme: "https", Host: host, Path: "/" + name}, nil
	}
	return &url.URL{Scheme: "https", Host: name + "." + host}, nil
}

// endpointOf is the endpoint of S3 that is set: one of its own comes first.
func endpointOf(ctx context.Context, cfg *aws.Config) string {
	ignored, _, _ := config.GetIgnoreConfiguredEndpoints(ctx, cfg.ConfigSources)
	for _, source := range cfg.ConfigSources {
		own, ok := source.(interface {
			GetServiceBaseEndpoint(ctx context.Context, service string) (string, bool, error)
		})
		if !ok || ignored {
			continue
		}
		if endpoint, found, err := own.GetServiceBaseEndpoint(ctx, "S3"); found && err == nil {
			return endpoint
		}
	}
	return aws.ToString(cfg.BaseEndpoint)
}

// amazonDomains are those of regions that are apart, by what these begin with.
var amazonDomains = map[string]string{
	"cn": "amazonaws.com.cn", "eusc": "amazonaws.eu", "us-iso": "c2s.ic.gov", "us-isob": "sc2s.sgov.gov",
	"us-isof": "csp.hci.ic.gov", "eu-isoe": "cloud.adc-e.uk",
}

// amazonHost is the host of S3 in a region.
func amazonHost(ctx context.Context, cfg *aws.Config) string {
	host := "s3"
	for _, source := range cfg.ConfigSources {
		if s, ok := source.(interface {
			GetUseFIPSEndpoint(context.Context) (aws.FIPSEndpointState, bool, error)
		}); ok {
			if fips, _, _ := s.GetUseFIPSEndpoint(ctx); fips == aws.FIPSEndpointStateEnabled {
				host = "s3-fips"
			}
		}
	}
	for _, source := range cfg.ConfigSources {
		if s, ok := source.(interface {
			GetUseDualStackEndpoint(context.Context) (aws.DualStackEndpointState, bool, error)
		}); ok {
			if dual, _, _ := s.GetUseDualStackEndpoint(ctx); dual == aws.DualStackEndpointStateEnabled {
				host = strings.TrimSuffix(host, ".dualstack") + ".dualstack"
			}
		}
	}
	domain := "amazonaws.com"
	for start, other := range amazonDomains {
		if strings.HasPrefix(cfg.Region, start+"-") {
			domain = other
		}
	}
	return host + "." + cfg.Region + "." + domain
}
